"""Runs triton_code on inputs from a file and compares nothing: others look on from outside."""

import os
import sys
import tempfile
from pathlib import Path

import torch

from validation.harness.channel import read_parcel
from validation.harness.inside import folder
from validation.harness.inside.values import Placing, unpack


def main(request: str) -> None:
    # Nobody may have written what Triton would find compiled.
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    with Path(request).open("rb") as file:
        order, blobs = read_parcel(file.fileno())
    device = torch.device(order["device"])
    folder.lay_out({"triton_code": order["triton_code"]})
    function = folder.function(folder.load("triton_code"), order["entry_point"])
    for case in order["cases"]:
        torch.manual_seed(order["seed"])
        function(*unpack(case, Placing(blobs, device)))
        if device.type == "cuda":
            torch.cuda.synchronize()
    sys.stdout.write(f"{len(order['cases'])} cases ran {order['token']}\n")
