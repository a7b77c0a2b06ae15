"""Speed of an export, beside a bare loop of json.dumps over the same records.

    python benchmarks/measure_export.py FOLDER [--kernels 50000] [--pairs 6000]

Fills a database in FOLDER (or the empty PostgreSQL that DATABASE_URL names) once, and exports it
with the command as its users call it. Prints the records a second, and the most memory that its
processes held. Then reads the export and dumps it again in one process that does nothing else.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
BATCH = 5_000
SOURCE = '''\
import triton
import triton.language as tl


@triton.jit
def {name}(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    """Scales by {number} and adds."""
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * {number} + y, mask=mask)
'''


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernels", type=int, default=50_000)
    parser.add_argument("--pairs", type=int, default=6_000)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "CURATION_DATA": str(given.folder / "data"),
        "DJANGO_SETTINGS_MODULE": "curation.settings",
    }
    subprocess.run([sys.executable, ROOT / "manage.py", "migrate", "-v0"], check=True)
    import django

    django.setup()
    fill(given.kernels, given.pairs)
    out = given.folder / f"out-{time.time_ns()}"
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, ROOT / "manage.py", "export_dataset", "--out", out]
    largest, together = held_while(command)
    seconds = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = used.ru_utime - before.ru_utime, used.ru_stime - before.ru_stime
    records = given.kernels + given.pairs
    print(
        f"export: {records:,} records in {seconds:.1f} s, {records / seconds:,.0f} a second, "
        f"{user:.1f} s of processor and {system:.1f} of the kernel's, "
        f"{largest:.0f} MB at most in one process, {together:.0f} in all of them"
    )
    dumped, megabytes, floor, worked = 0, 0.0, 0.0, 0.0
    for line in written(out):
        record = json.loads(line)
        busy, start = time.process_time(), time.perf_counter()
        megabytes += len(json.dumps(record, ensure_ascii=False)) / 1e6
        floor += time.perf_counter() - start
        worked += time.process_time() - busy
        dumped += 1
    print(
        f"json.dumps alone: {dumped:,} records, {megabytes:,.0f} MB in {floor:.1f} s, {worked:.1f} "
        f"of processor; the export takes {seconds / floor:.1f} times that, by the processor "
        f"{(user + system) / worked:.1f} times"
    )


def held_while(command: Sequence[str | Path]) -> tuple[float, float]:
    """Megabytes that any one of a command's processes held at most, and that all of them did,
    what they share counted once."""
    largest, together = 0, 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            pids = family(process.pid)
            largest = max(largest, *(told(pid, "status", "VmHWM") for pid in pids))
            together = max(together, sum(told(pid, "smaps_rollup", "Pss") for pid in pids))
            time.sleep(0.5)
    if process.returncode:
        sys.exit(process.returncode)
    return largest / 1024, together / 1024


def family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = []
    return [pid, *(int(child) for child in children)]


def told(pid: int, file: str, word: str) -> int:
    """Return a figure of the kernel about a process, or 0 if the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{word}:")), 0)


def written(out: Path) -> Iterator[str]:
    for kind in ("kernels", "pairs"):
        for split in ("train", "validation", "test"):
            with (out / kind / f"{split}.jsonl").open() as lines:
                yield from lines


# --- Rows -----------------------------------------------------------------------------------
def fill(kernels: int, pairs: int) -> None:
    from curation.models import Kernel
    from tests import factories as make

    if Kernel.objects.exists():
        return
    began = time.monotonic()
    license = make.a_license(expression="MIT", text="Permission is hereby granted.\n")
    files = [make.a_source_file(repository=make.a_repository()) for _ in range(500)]
    user = make.a_reviewer()
    for start in range(0, kernels, BATCH):
        _kernels(range(start, min(start + BATCH, kernels)), files, license, user)
    run = make.a_validation_run(environment={"torch": "2.13.0", "triton": "3.9.0"})
    for start in range(0, pairs, BATCH):
        _pairs(range(start, min(start + BATCH, pairs)), run, license, user)
    print(f"filled in {time.monotonic() - began:.0f} s")


def _kernels(numbers: range, files: list[Any], license: Any, user: Any) -> None:
    from curation.models import Kernel, Provenance
    from tests import factories as make

    rows = []
    for number in numbers:
        name = f"scale_{number}"
        source = SOURCE.format(name=name, number=number)
        rows.append(
            Kernel(
                content_hash=make.sha(f"kernel {number}"), name=name, kind="entry",
                function_source=source, standalone_source=source, standalone=True, lines=12,
                tokens=150, status="approved", version=2, operation_type="element-wise",
                difficulty="easy", tags=["masked"], license=license, license_verdict="permissive",
                min_triton="3.0",
            )
        )  # fmt: skip
    Kernel.objects.bulk_create(rows)
    Provenance.objects.bulk_create(
        Provenance(
            kernel=row, source_file=files[number % len(files)], qualname=row.name,
            start_line=10 * number + 1, end_line=10 * number + 10, sha256=make.sha(1),
            license=license,
            license_verdict="permissive", copyrights=["Copyright (c) 2026 Ada"],
        )
        for number, row in zip(numbers, rows, strict=True)
    )  # fmt: skip
    _decided("kernel", rows, user)


def _pairs(numbers: range, run: Any, license: Any, user: Any) -> None:
    from curation.models import Pair, ValidationResult
    from tests import factories as make

    rows = [
        Pair(
            content_hash=make.sha(f"pair {number}"), slug=f"scale-{number}", entry_point="scale",
            python_code=f"def scale(x, y):\n    return x * {number} + y\n",
            triton_code=SOURCE.format(name=f"scale_{number}", number=number),
            test_code="def test_scale():\n    assert scale\n", origin="template",
            operation_type="element-wise", difficulty="easy", split_group=f"g{number // 10}",
            license=license, license_verdict="permissive", status="approved", version=2,
            min_triton="3.0",
        )
        for number in numbers
    ]  # fmt: skip
    Pair.objects.bulk_create(rows)
    ValidationResult.objects.bulk_create(
        ValidationResult(
            run=run, pair=row, content_hash=row.content_hash, verdict="passed",
            figures={"cases": 7, "max_abs_error": 0.0},
        )
        for row in rows
    )  # fmt: skip
    _decided("pair", rows, user)


def _decided(kind: str, rows: list[Any], user: Any) -> None:
    from curation.models import Decision, Fingerprint
    from tests import factories as make

    Decision.objects.bulk_create(
        Decision(
            **{kind: row}, content_hash=row.content_hash, version=1, status="approved",
            previous_status="pending", user=user,
        )
        for row in rows
    )  # fmt: skip
    Fingerprint.objects.bulk_create(
        Fingerprint(
            **{kind: row}, scheme="measured 1", content_hash=row.content_hash,
            syntax_hash=make.sha(f"{kind} {row.pk}"), token_count=60, signature=b"\0" * 8,
            placed=True, compared_with="nothing", status="approved",
        )
        for row in rows
    )  # fmt: skip


if __name__ == "__main__":
    main()
