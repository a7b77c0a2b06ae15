"""Process under compute-sanitizer: plays the recorded programs on inputs from a file."""

import os
import sys
import tempfile
from pathlib import Path

import torch

from validation.harness.pool.channel import read_parcel
from validation.harness.replayer.player import TextPrograms
from validation.harness.worker.values import Placing, tensors_in


def main(request: str) -> None:
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    with Path(request).open("rb") as file:
        order, blobs = read_parcel(file.fileno())
    device = torch.device(order["device"])
    programs = TextPrograms(order, blobs, device)
    for run in order["runs"]:
        torch.manual_seed(order["seed"])
        inputs = tensors_in(Placing(blobs, device).arguments(run["arguments"]))
        programs.call(run, inputs)()
        if device.type == "cuda":
            torch.cuda.synchronize()
    sys.stdout.write(f"{len(order['runs'])} cases ran {order['token']}\n")
