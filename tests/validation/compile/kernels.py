"""Kernels of our own, one for each rule by which a signature is inferred."""

from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
REFUSED = {"changed_type", "endless", "not_inferred", "old_language"}


def unit(body: str) -> str:
    return f"import triton\nimport triton.language as tl\n\n\n{body}"


def program(name: str) -> str:
    """Return the text of `programs/NAME.py` after the usual imports."""
    return unit((PROGRAMS / f"{name}.py").read_text())


ADD = program("add")
MISSING_MODULE = f"import nowhere_to_be_found\n{ADD}"
LOST_MODULE = f"from triton.ops.matmul_perf_model import early_config_prune\n{ADD}"
COMPILING = {
    path.stem: program(path.stem)
    for path in sorted(PROGRAMS.glob("*.py"))
    if path.stem not in REFUSED
}
