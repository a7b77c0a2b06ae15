"""Torch computes in another thread or process, and the kernel passes the answer on."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(
        Variant(name="thread", launcher=("torch_elsewhere_thread",)),
        Variant(
            name="torchscript-thread",
            launcher=("torch_elsewhere_torchscript_thread",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
                caught_by={Check.CONTRACT, Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
            ),
        ),
        Variant(
            name="child",
            launcher=("torch_elsewhere_child",),
            outcome=Outcome(
                expected={
                    Verdict.FAILED,
                    Verdict.ERROR,
                    Verdict.TIMEOUT,
                    Verdict.CRASHED,
                    Verdict.NOT_TRITON,
                },
                caught_by={Check.KERNEL_MATTERS, Check.CONTAINMENT},
            ),
        ),
    ),
)
