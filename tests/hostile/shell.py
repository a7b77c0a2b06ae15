"""Run the programs of the standard input, each in a namespace of its own, and print what they said.

    python -m tests.hostile.shell

Programs and answers are lines of JSON. Starting Django anew for each takes 0.7 s of processor time.
"""

import io
import json
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout

import django

django.setup()

from django.db import connections  # noqa: E402


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()


def run(program: str) -> tuple[bool, str]:
    """Return whether the program came to its end, and its output."""
    output, ended = io.StringIO(), True
    with redirect_stdout(output), redirect_stderr(output):
        try:
            exec(compile(program, "program", "exec"), {})  # noqa: S102 - our own text
        except BaseException:  # noqa: BLE001 - SystemExit too
            ended = False
            traceback.print_exc()
        finally:
            connections.close_all()
    return ended, output.getvalue()


if __name__ == "__main__":
    main()
