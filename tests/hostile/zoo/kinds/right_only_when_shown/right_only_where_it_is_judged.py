"""The launcher is right only in a process that looks like a judge."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed", "values variations"),
    variants=(
        Variant(
            name="pytest",
            how="It asks for a variable that pytest sets while a test runs.",
            launcher=("right_only_where_it_is_judged_pytest",),
        ),
        Variant(
            name="harness",
            how="It searches modules, environment and ancestors for names of a harness.",
            launcher=("right_only_where_it_is_judged_harness",),
            outcome=Outcome("failed not_triton", "own-test values"),
        ),
    ),
)
