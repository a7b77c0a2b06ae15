"""Wait of processes for a CUDA context when many ask at once, on one GPU and on two.

    python -m benchmarks.measure_contexts

Forked from one that has imported torch, and told what the harness tells its own. Each row is the
seconds until the first, the middle and the last of them has its context, and those that all of them
take to end. `in turn` lets so many ask at a time; the last rows have fewer connections to the GPU,
and two ask at a time.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress

import torch

from validation.harness.worker.gpu import Newcomer

LINE = 64
COPIES, ALL = "CUDA_DEVICE_MAX_COPY_CONNECTIONS", "CUDA_DEVICE_MAX_CONNECTIONS"


def main() -> int:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    gpus = torch.cuda.device_count()
    if not gpus:
        print("There is no GPU here.")
        return 2
    print(f"torch {torch.__version__}, {gpus} GPUs, {os.cpu_count()} processors")
    row("one, the first of all", [0])
    for count in (1, 2, 4, 8, 16, 32):
        row("on one GPU", [0] * count)
    if gpus > 1:
        for count in (2, 8, 16, 32):
            row("on two GPUs", [0, 1] * (count // 2))
    for at_once in (1, 2, 3):
        row(f"in turn, {at_once} at once", [0] * 16, at_once=at_once)
    for name, few in ((COPIES, 1), (ALL, 8), (ALL, 4), (ALL, 2), (ALL, 1)):
        row(f"{name} {few}", [0] * 16, at_once=2, environment={name: str(few)})
    return 0


def row(
    title: str, gpus: Sequence[int], *, at_once: int = 0, environment: dict[str, str] | None = None
) -> None:
    """A process for each of `gpus`, on that GPU."""
    turn = multiprocessing.Semaphore(at_once) if at_once else nullcontext()
    told_end, report_end = os.pipe()
    over, over_end = os.pipe()
    begin = time.monotonic() + 0.3
    pids = []
    for gpu in gpus:
        pid = os.fork()
        if not pid:
            os.close(over_end)
            os.environ.update(environment or {}, CUDA_VISIBLE_DEVICES=str(gpu))
            time.sleep(max(0.0, begin - time.monotonic()))
            with suppress(Exception), turn:
                Newcomer().context({}, [])
                os.write(report_end, json.dumps(time.monotonic() - begin).encode().ljust(LINE))
            # Each holds its context until no process waits for one.
            os.close(report_end)
            os.read(over, 1)
            os._exit(0)
        pids.append(pid)
    os.close(report_end)
    os.close(over)
    took = []
    while said := os.read(told_end, LINE):
        took.append(json.loads(said))
    before_the_end = time.monotonic()
    os.close(over_end)
    for pid in pids:
        os.waitpid(pid, 0)
    ended = time.monotonic() - before_the_end
    os.close(told_end)
    if len(took) < len(gpus):
        print(f"{title:38} {len(gpus):3}: only {len(took)} got one")
        return
    first, middle, last = min(took), statistics.median(took), max(took)
    print(
        f"{title:38} {len(gpus):3}: first {first:5.2f} middle {middle:5.2f} last {last:5.2f} "
        f"ended {ended:5.2f}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
