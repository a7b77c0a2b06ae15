"""Prometheus' text format, limited to gauges. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Sample:
    value: float
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Gauge:
    """A metric: one value, or one for each set of labels."""

    name: str
    help: str
    samples: tuple[Sample, ...]


def gauge(name: str, help: str, value: float) -> Gauge:
    return Gauge(name, help, (Sample(value, {}),))


def write(gauges: Iterable[Gauge]) -> str:
    return "".join(line + "\n" for each in gauges for line in _lines(each))


def _lines(each: Gauge) -> Iterable[str]:
    yield f"# HELP {each.name} {_escaped(each.help)}"
    yield f"# TYPE {each.name} gauge"
    for sample in each.samples:
        yield f"{each.name}{_labels(sample.labels)} {sample.value!r}"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    written = ",".join(f'{name}="{_quoted(value)}"' for name, value in labels.items())
    return f"{{{written}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')
