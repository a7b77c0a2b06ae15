"""Speed and variety of generated pairs. Can write pairs for other programs to run.

    python benchmarks/measure_pairs.py [--count 5000] [--seed 0]
        [--write FILE.jsonl [--generated 500]]

`--write` writes every pair written by hand and a random choice of the generated ones, as the
dataset's records. Knows no database.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from validation.pairs.diversity import shares_with_neighbor
from validation.pairs.generation import generate
from validation.pairs.handwritten import handwritten
from validation.pairs.recipes.catalog import RECIPES


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--generated", type=int, default=500)
    options = parser.parse_args()

    wall, cpu = time.monotonic(), time.process_time()
    drafts = generate(RECIPES, options.count, options.seed)
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    shares = shares_with_neighbor([draft.triton_code for draft in drafts])
    used = Counter(draft.recipe for draft in drafts)
    print(f"{len(drafts):,} pairs by {len(used)} recipes in {wall:.1f} s ({cpu:.1f} s of CPU).")
    print(", ".join(f"{share:.1%} with a neighbor at {at}" for at, share in shares.items()))
    for field in ("operation_type", "difficulty"):
        counts = Counter(getattr(draft, field) for draft in drafts)
        print(", ".join(f"{name} {count:,}" for name, count in counts.most_common()))
    if options.write is not None:
        draw = random.Random(options.seed)  # noqa: S311 - to be repeated, not to be secret
        chosen = draw.sample(drafts, min(options.generated, len(drafts)))
        records = [draft.as_record() for draft in (*handwritten(), *chosen)]
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        options.write.write_text("".join(lines), "utf-8")
        print(f"{len(records):,} records written to {options.write}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
