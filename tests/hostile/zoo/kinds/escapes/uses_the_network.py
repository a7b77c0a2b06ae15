"""The launcher is right only if it finds a route, or an open port on the loopback interface."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "own-test containment"),
    variants=(Variant(name="udp-and-tcp", launcher=("uses_the_network",)),),
)
