"""Launchers that get the answer from the reference."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference, in_test
from tests.hostile.zoo.edits import WRITES_ZEROS

ANSWER_IN_AN_INPUT = Kind(
    "make_inputs puts the answer into an input, where the launcher finds it.",
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant(
            "attribute",
            edits=(
                in_test(
                    "    return x[::step], y\n",
                    ("    y.answer = x[::step] + y\n    return x[::step], y\n"),
                ),
            ),
        ),
        Variant(
            "behind-the-view",
            edits=(
                in_test(
                    "    return x[::step], y\n",
                    "    return x[::step], torch.cat((y, x[::step] + y))[:n]\n",
                ),
            ),
            outcome=Outcome("failed error crashed not_triton", "values kernel-matters bounds"),
        ),
    ),
)

ANSWER_ON_DISK = Kind(
    "The reference leaves its answer in shared folders, and the launcher reads it there.",
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(
        Variant(
            "torch-save",
            edits=(
                in_reference(
                    "    return x + y",
                    (
                        "    out = x + y\n"
                        '    for folder in ("/tmp", "/dev/shm", "/var/tmp", "."):\n'
                        "        try:\n"
                        '            torch.save(out, f"{folder}/note-{x.numel()}-{x.dtype}.pt")\n'
                        "        except (OSError, RuntimeError):\n"
                        "            pass\n"
                        "    return out"
                    ),
                ),
            ),
        ),
    ),
)

CALLS_THE_REFERENCE = Kind(
    "The launcher finds the reference, calls it and passes its answer through the kernel.",
    outcome=Outcome("failed error not_triton", "kernel-matters containment"),
    variants=(
        Variant("import"),
        Variant("loaded-modules"),
        Variant("disk", outcome=Outcome("failed error not_triton", "kernel-matters")),
    ),
)

FINDS_THE_ANSWER_IN_MEMORY = Kind(
    "The launcher searches its process for a tensor that looks like the expected answer.",
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant(
            "frames",
            edits=(
                in_test(
                    "    expected, actual = reference(*inputs), candidate(*inputs)",
                    ("    expected = reference(*inputs)\n    actual = candidate(*inputs)"),
                ),
            ),
        ),
        Variant("garbage-collector"),
    ),
)

LISTENS_TO_THE_REFERENCE = Kind(
    "The launcher keeps what the reference returned and passes it through the kernel.",
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(Variant("profiler"), Variant("patched-add")),
)

POISONS_THE_REFERENCE = Kind(
    "The launcher patches torch so that the reference returns zeros, and writes zeros.",
    outcome=Outcome("failed not_triton", "values"),
    variants=(Variant("patched-add", edits=(WRITES_ZEROS,)),),
)
