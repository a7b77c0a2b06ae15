"""Number and speed of pairs by Inductor, and reasons of the failures: of the shipped modules, or of
the whole models that are named.

    python -m benchmarks.measure_inductor PAIRS.jsonl [--transformers CONFIG …]
        [--timm MODEL …] [--parallel N]

Writes the pairs for the harness to check. Needs torch, triton and jinja2, and the libraries whose
models are named; no Django and no GPU.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from validation.pairs.inductor.generation import generate, inductor
from validation.pairs.inductor.modules import MODULES
from validation.pairs.inductor.offer import Offer, of_modules
from validation.pairs.inductor.whole.model_sources import Whole, of_timm, of_transformers
from validation.pairs.inductor.whole.splitting import split, splitter


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--transformers", nargs="+", default=())
    parser.add_argument("--timm", nargs="+", default=())
    parser.add_argument("--parallel", type=int)
    arguments = parser.parse_args()
    wholes = [*map(of_transformers, arguments.transformers), *map(of_timm, arguments.timm)]
    reasons: Counter[str] = Counter()
    records = []
    started, used = time.monotonic(), time.process_time()
    offers = parts(wholes, arguments.parallel) if wholes else list(of_modules(MODULES))
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


def parts(wholes: list[Whole], parallel: int | None) -> list[Offer]:
    offers: list[Offer] = []
    with splitter(parallel) as workers:
        for model in split(wholes, workers):
            left = ", ".join(f"{count}: {reason}" for reason, count in model.reasons.items())
            print(f"{model.name}: {model.groups} groups, {len(model.offers)} new functions. {left}")
            print(model.trouble, end="\n" if model.trouble else "")
            offers += model.offers
    return offers


if __name__ == "__main__":
    main()
