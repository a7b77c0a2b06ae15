"""Process under compute-sanitizer: plays the recorded programs on inputs from a file."""

import os
import sys
import tempfile
from pathlib import Path

import torch

from validation.harness.pool.channel import read_parcel
from validation.harness.replayer.programs import TextPrograms
from validation.harness.worker.values import Placing, tensors_in


def main(request: str) -> None:
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    with Path(request).open("rb") as file:
        order, blobs = read_parcel(file.fileno())
    device = torch.device(order["device"])
    programs = TextPrograms(order["triton_code"], order["programs"], blobs, device)
    for case in order["cases"]:
        torch.manual_seed(order["seed"])
        inputs = tensors_in(Placing(blobs, device).arguments(case["arguments"]))
        programs.call(case["program"], inputs)()
        if device.type == "cuda":
            torch.cuda.synchronize()
    sys.stdout.write(f"{len(order['cases'])} cases ran {order['token']}\n")
