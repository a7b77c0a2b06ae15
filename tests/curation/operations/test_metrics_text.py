"""Prometheus' text format."""

import re

from hypothesis import given
from hypothesis import strategies as st

from curation.operations.metrics_text import Gauge, Sample, gauge, write

LINE = re.compile(r'[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? -?\d+(\.\d+)?(e[+-]\d+)?')


def test_a_figure_is_written_with_its_meaning() -> None:
    assert write([gauge("curation_releases", "Releases made.", 3)]) == (
        "# HELP curation_releases Releases made.\n"
        "# TYPE curation_releases gauge\n"
        "curation_releases 3\n"
    )


@given(st.text(), st.text())
def test_no_label_breaks_its_line(one: str, other: str) -> None:
    written = write([Gauge("a", "A\nB", (Sample(1.5, {"one": one, "other": other}),))])

    _, _, line, rest = written.split("\n")
    assert LINE.fullmatch(line)
    assert rest == ""
