"""A house to be attacked: small sources on disk, pairs to check, pairs to decide on, reviewers.

python -m tests.chaos.furniture FOLDER furnishes the database that the environment names,
carries everything out in peace, and prints its rows.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

SOURCES = 5
FILES = 6
REVIEWERS = 4
# Quick ones of the library.
CHECKED = ("add", "subtract", "multiply", "divide", "swiglu", "sum-whole")
MIT = """MIT License

Copyright (c) 2026 The authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""
KERNEL = '''\
import triton
import triton.language as tl


@triton.jit
def {name}_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """{name}."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    for step in range({steps}):
        x = {expression}
    tl.store(out_ptr + offsets, x, mask=mask)


def {name}(x, y, out):
    {name}_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
'''
EXPRESSIONS = ("x + y", "tl.maximum(x, y) * x", "tl.exp(x) - y / 3", "tl.where(x > y, x, y * step)")


def write_sources(folder: Path) -> list[Path]:
    """Git repositories that share every other file with the next one."""
    from tests.conftest import commit

    written = []
    for number in range(SOURCES):
        source = folder / f"source-{number}"
        source.mkdir(parents=True)
        (source / "LICENSE").write_text(MIT)
        for file in range(FILES):
            own = number if file % 2 else (number + 1) // 2
            made = own * FILES + file
            text = KERNEL.format(
                name=f"op_{made}", steps=made + 2, expression=EXPRESSIONS[made % len(EXPRESSIONS)]
            )
            (source / f"op_{file}.py").write_text(text)
        (source / "broken.py").write_text("import triton\n@triton.jit\ndef f(x_ptr, n:\n")
        commit(source)
        written.append(source)
    return written


def furnish(sources: list[Path], to_decide: int) -> dict[str, Any]:
    """Rows to begin with; answers what a load needs to know of them."""
    from django.core.management import call_command
    from django.db import transaction

    from curation.models import Origin, Pair, Repository
    from curation.web import tokens
    from tests import factories as make

    call_command("migrate", verbosity=0)
    call_command("load_library", verbosity=0)
    repositories = [
        Repository.objects.create(name=path.name, url=str(path), origin=Origin.FOLDER)
        for path in sources
    ]
    with transaction.atomic():
        for _ in range(to_decide):
            make.a_pair()
    people = [make.a_reviewer(username=f"reviewer-{n}") for n in range(REVIEWERS)]
    return {
        "sources": [repository.pk for repository in repositories],
        "pairs": list(Pair.objects.filter(slug__in=CHECKED).values_list("pk", flat=True)),
        "secrets": [tokens.make(person, "chaos") for person in people],
    }


def main() -> None:
    import django

    django.setup()
    from curation.jobs.attempt import carry_out_here
    from curation.models import Device, Pair, Repository
    from ingest.jobs import ingest_now
    from tests.chaos.rows import rows
    from validation.jobs import validate
    from validation.run_requests import request_validation

    found = furnish(sorted(Path(sys.argv[1]).glob("source-*")), to_decide=0)
    for repository in Repository.objects.filter(pk__in=found["sources"]):
        ingest_now(repository)
    pairs = Pair.objects.filter(pk__in=found["pairs"])
    for run in request_validation(pairs, device=Device.INTERPRETER, hand_over=False):
        carry_out_here(run, validate)
    json.dump(rows(), sys.stdout)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "curation.settings")
    main()
