"""The reference leaves its answer in shared folders, and the launcher reads it there."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference

KIND = Kind(
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(
        Variant(
            name="torch-save",
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
            launcher=("answer_on_disk",),
        ),
    ),
)
