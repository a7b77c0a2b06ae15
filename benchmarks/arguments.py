"""Command line of the benchmarks that read local sources."""

import argparse


def parse_sources(description: str | None, help: str) -> list[str]:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", nargs="+", help=help)
    given: list[str] = parser.parse_args().source
    return given
