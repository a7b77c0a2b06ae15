"""The launcher is right only if it finds a route, or an open port on the loopback interface."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.CONTAINMENT},
    ),
    variants=(Variant(name="udp-and-tcp", launcher=("uses_the_network",)),),
)
