"""How many functions and pairs whole models give, and why not of the others.

    python -m tests.benchmarks.measure_models PAIRS.jsonl [--transformers CONFIG …] [--timm MODEL …]

Writes the pairs for the harness to check. Needs those libraries beside torch, triton and jinja2; no
Django and no GPU.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from validation.inductor.generation import generate, inductor
from validation.inductor.offer import Offer
from validation.inductor.whole.sources import of_timm, of_transformers
from validation.inductor.whole.splitting import split, splitter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--transformers", nargs="+", default=())
    parser.add_argument("--timm", nargs="+", default=())
    parser.add_argument("--parallel", type=int)
    arguments = parser.parse_args()
    wholes = [*map(of_transformers, arguments.transformers), *map(of_timm, arguments.timm)]
    offers: list[Offer] = []
    with splitter(arguments.parallel) as workers:
        for one in split(wholes, workers):
            left = ", ".join(f"{count}: {reason}" for reason, count in one.reasons.items())
            print(f"{one.name}: {one.groups} groups, {len(one.offers)} new functions. {left}")
            print(one.trouble, end="\n" if one.trouble else "")
            offers += one.offers
    reasons: Counter[str] = Counter()
    records = []
    with inductor(arguments.parallel) as workers:
        for _, draft in generate(offers, workers):
            if isinstance(draft, str):
                reasons[draft] += 1
            else:
                records.append(draft.as_record())
    records.sort(key=lambda record: record["id"])
    arguments.pairs.write_text("".join(json.dumps(record) + "\n" for record in records))
    foreign = sum("torch._inductor" in record["triton_code"] for record in records)
    print(f"{len(records)} pairs of {len(offers)}; {foreign} import torch._inductor.")
    for reason, count in reasons.most_common():
        print(f"{count:>5} left out: {reason}")


if __name__ == "__main__":
    main()
