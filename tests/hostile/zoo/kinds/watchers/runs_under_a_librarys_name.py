"""The launcher runs code under the file name of a library, so that frames seem to be asked for by
the library.
"""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="renamed-code",
            launcher=("walks_to_the_data", "runs_under_a_librarys_name_renamed_code"),
        ),
        Variant(name="loader", launcher=("walks_to_the_data", "runs_under_a_librarys_name_loader")),
    ),
)
