"""Seconds of the values of each line for library pairs, right and with a planted fault.

    python -m benchmarks.measure_line_values

The seconds include the start of the harness.
"""

import argparse
import time

from validation.harness import schedule
from validation.harness.entry import Entry
from validation.harness.options import Options
from validation.harness.single_case import ChosenCase, try_case
from validation.pairs.handwritten import handwritten

# By pair: a text of the kernel, and what is planted in its place.
FAULTS = (
    ("fused-softmax", "mask = cols < n_cols\n", "mask = cols < n_cols - 1\n"),
    ("layer-norm", "tl.sum(x, axis=0) / n_cols\n", "tl.sum(x, axis=0)\n"),
    ("sum-along-axis", "(acc, axis=1)", "(acc, axis=0)"),
    ("rms-norm", "/ n_cols + eps", "/ (n_cols - 1) + eps"),
    ("swiglu", "gate * sigmoid\n", "gate + sigmoid\n"),
)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    drafts = {draft.slug: draft for draft in handwritten()}
    for slug, right, faulty in FAULTS:
        draft = drafts[slug]
        planted = draft.triton_code.replace(right, faulty, 1)
        for text in (draft.triton_code, planted):
            entry = Entry(
                slug, draft.python_code, text, draft.test_code, draft.entry_point,
                draft.differentiable,
            )  # fmt: skip
            began = time.perf_counter()
            with schedule.open_pool(Options(device="interpreter", jobs=1, share=1)) as pool:
                report = try_case(entry, ChosenCase(1, program="any"), pool)
            seconds = time.perf_counter() - began
            line = planted[: planted.index(faulty)].count("\n") + 1 if text == planted else 0
            marks = f"marked {report['marked']}, planted {line}"
            print(f"{slug:16} {seconds:5.1f} s, {marks}", flush=True)


if __name__ == "__main__":
    main()
