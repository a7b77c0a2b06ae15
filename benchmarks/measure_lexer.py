"""Speed and errors of the Triton lexer on real kernels, beside Pygments' Python lexer.

python -m benchmarks.measure_lexer MIRRORS [--kernels 1000]
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path
from statistics import median

from pygments.lexer import Lexer
from pygments.lexers import PythonLexer
from pygments.token import Error

from benchmarks.mirrors import extractions
from curation.lexer import TritonLexer

ROUNDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirrors", type=Path, help="folder of git mirrors")
    parser.add_argument("--kernels", type=int, default=1000)
    arguments = parser.parse_args()
    units = [item.unit.source for _, item in extractions(arguments.mirrors)]
    step = max(1, len(units) // arguments.kernels)
    texts = list(islice(units[::step], arguments.kernels))

    lexers: tuple[Lexer, Lexer] = (PythonLexer(), TritonLexer())
    seconds: dict[str, list[float]] = {lexer.name: [] for lexer in lexers}
    for _ in range(ROUNDS):
        for lexer in lexers:
            started = time.process_time()
            for text in texts:
                for _ in lexer.get_tokens(text):
                    pass
            seconds[lexer.name].append(time.process_time() - started)
    errors = [sum(kind is Error for kind, _ in lexers[1].get_tokens(text)) for text in texts]
    python, triton = (median(seconds[lexer.name]) for lexer in lexers)
    print(f"{len(texts)} kernels, {sum(map(len, texts)):,} characters")
    print(f"Python {python:.2f} s, Triton {triton:.2f} s, {triton / python - 1:+.0%}")
    print(f"error tokens: {sum(errors)} in {sum(map(bool, errors))} kernels")


if __name__ == "__main__":
    main()
