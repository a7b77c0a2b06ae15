"""Torch's autograd engine adds or multiplies what kernels should."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel

KIND = Kind(
    outcome=Outcome("failed error not_triton mixed", "values kernel-matters containment"),
    variants=(
        Variant(name="sum-of-gradients", launcher=("autograd_computes_sum_of_gradients",)),
        Variant(
            name="sum-in-backward",
            base="squared-halves",
            edits=(
                in_kernel("slope = 2 * (later - earlier)", "slope = (later - earlier)"),
                in_kernel(
                    "        return dlater, dearlier\n",
                    (
                        "        return doubled(dlater), doubled(dearlier)\n"
                        "\n"
                        "\n"
                        "def doubled(x):\n"
                        "    with torch.enable_grad():\n"
                        "        leaf = torch.empty_like(x).requires_grad_()\n"
                        "        parts = [leaf.view(x.shape), leaf.view(x.shape)]\n"
                        "        return torch.autograd.grad(parts, [leaf], [x, x])[0]\n"
                    ),
                ),
            ),
            outcome=Outcome(
                "failed error not_triton mixed", "values kernel-matters gradients containment"
            ),
        ),
        Variant(
            name="hook-multiplies",
            base="squared-halves",
            edits=(in_kernel("slope = 2 * (later - earlier)", "slope = 0.5 * (later - earlier)"),),
            launcher=("autograd_computes_hook_multiplies",),
            outcome=Outcome(
                "failed error not_triton", "values kernel-matters gradients containment"
            ),
        ),
        Variant(
            name="hook-completes",
            how="The launcher returns half of the answer, and hooks double it during backward.",
            base="squared-halves",
            edits=(in_kernel("step * step", "0.5 * step * step"),),
            launcher=("autograd_computes_hook_completes",),
            outcome=Outcome("failed error not_triton", "values memory kernel-matters containment"),
        ),
    ),
)
