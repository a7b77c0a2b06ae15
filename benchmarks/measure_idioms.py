"""Share of pairs whose texts have an idiom, by origin.

    python benchmarks/measure_idioms.py FILE.jsonl [...]

Reads records of the dataset, such as `measure_pairs --write` writes them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

TRITON: Mapping[str, str] = {
    "autotune": r"triton\.autotune\(",
    "grid = lambda META": r"= lambda (?:META|meta)\b",
    "num_warps": r"\bnum_warps\b",
    "num_stages": r"\bnum_stages\b",
    "grid by the number of SMs": r"multi_?processor_count",
    "grouped order of a product": r"\bGROUP_(?:SIZE_)?M\b",
    "tensor descriptor": r"TensorDescriptor|make_tensor_descriptor",
    "int64 offsets": r"tl\.int64",
    "tl.clamp": r"tl\.clamp\(",
    "tl.sigmoid": r"tl\.sigmoid\(",
    "NaN propagation written out": r"propagate_nan|values != values",
    "hand-written series": r"\bseries\b|0\.16666667",
    "tl.dot": r"tl\.dot\(",
    "tl.dot in ieee": r'input_precision="ieee"',
    "few programs whatever the size": r"(?m)grid = \(1,\)|min\(.*, (?:4|8|16|32)\),\)",
    "one row at a time down a column": r"for row in range\(0, n_rows\)",
    "comment on the block size": r"(?m)^ *#.*\n(?:CONFIGS = | *block_\w+ = \d| *grid = )",
}
PYTHON: Mapping[str, str] = {
    "F.*": r"\bF\.\w+\(",
    "nn.Module": r"nn\.Module",
    "type hints": r"torch\.Tensor",
    ".float() on inputs": r"\.float\(\)",
}
TEST: Mapping[str, str] = {"PERF_CASES": r"(?m)^PERF_CASES"}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    for file in options.files:
        records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for origin in sorted({record["metadata"]["origin"] for record in records}):
            chosen = [record for record in records if record["metadata"]["origin"] == origin]
            print(f"{file}: {len(chosen):,} pairs of origin {origin}")
            for key, idioms in (
                ("triton_code", TRITON),
                ("python_code", PYTHON),
                ("test_code", TEST),
            ):
                for name, pattern in idioms.items():
                    count = sum(bool(re.search(pattern, record[key])) for record in chosen)
                    print(f"  {key.removesuffix('_code'):6}  {name:34} {count / len(chosen):6.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
