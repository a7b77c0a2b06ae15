"""Agreement of the rules for operation type and difficulty with items labeled by reading.

A folder is a checkout of a repository that `tests/ingest/classify/labels.json` names, called as
the repository is. Items of liger-kernel, torch, the library and the recipes need none.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.ingest.classify.labeled import agreement, items


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="*", type=Path, help="a checkout (default: none)")
    folders = {folder.name: folder for folder in parser.parse_args().folder}
    for half in ("tuned", "held-out"):
        result = agreement([item for item in items() if item.half == half], folders)
        print(
            f"{half}: {result.items} items, {result.operations} operation types and "
            f"{result.difficulties} difficulties agree."
        )
        for sentence in result.disagreements:
            print(f"  {sentence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
