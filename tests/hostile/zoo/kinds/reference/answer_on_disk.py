"""The reference leaves its answer in shared folders, and the launcher reads it there."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="torch-save",
            edits=(
                Edit(
                    "python_code",
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
