"""make_inputs puts the answer into an input, where the launcher finds it."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

KIND = Kind(
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant(
            name="attribute",
            edits=(
                in_test(
                    "    return x[::step], y\n",
                    ("    y.answer = x[::step] + y\n    return x[::step], y\n"),
                ),
            ),
            launcher=("answer_in_an_input_attribute",),
        ),
        Variant(
            name="behind-the-view",
            edits=(
                in_test(
                    "    return x[::step], y\n",
                    "    return x[::step], torch.cat((y, x[::step] + y))[:n]\n",
                ),
            ),
            launcher=("answer_in_an_input_behind_the_view",),
            outcome=Outcome("failed error crashed not_triton", "values kernel-matters bounds"),
        ),
    ),
)
