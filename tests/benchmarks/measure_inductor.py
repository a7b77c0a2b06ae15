"""How many pairs Inductor gives of the shipped modules, how quickly, and why not of the others.

    python -m tests.benchmarks.measure_inductor PAIRS.jsonl [--parallel N]

Writes the pairs for the harness to check. Needs torch, triton and jinja2; no Django and no GPU.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from validation.inductor.generation import generate, inductor
from validation.inductor.modules import MODULES
from validation.inductor.offer import of_modules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--parallel", type=int)
    arguments = parser.parse_args()
    offers = list(of_modules(MODULES))
    reasons: Counter[str] = Counter()
    records = []
    started, used = time.monotonic(), time.process_time()
    with inductor(arguments.parallel) as workers:
        for _, draft in generate(offers, workers):
            if isinstance(draft, str):
                reasons[draft] += 1
            else:
                records.append(draft.as_record())
    seconds = time.monotonic() - started
    records.sort(key=lambda record: record["id"])
    arguments.pairs.write_text("".join(json.dumps(record) + "\n" for record in records))
    foreign = sum("torch._inductor" in record["triton_code"] for record in records)
    print(
        f"{len(records)} pairs of {len(offers)} functions in {seconds:.1f} s, "
        f"{time.process_time() - used:.1f} s of them the asker's; {foreign} import torch._inductor."
    )
    for reason, count in reasons.most_common():
        print(f"{count:>5} left out: {reason}")


if __name__ == "__main__":
    main()
