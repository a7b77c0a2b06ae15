"""Metrics of the reward service for Prometheus."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily as Gauge

from validation.rewards.answer import RewardAnswer, Tier
from validation.rewards.answer_cache import AnswerCache
from validation.rewards.work import WorkQueue

BUCKETS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """Counters of one service, with gauges that are read on request."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "reward_answers", "Answers, by tier and verdict.", ["tier", "verdict"],
            registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "reward_seconds", "Time of an answer without waiting.", ["tier"], buckets=BUCKETS,
            registry=self._registry,
        )  # fmt: skip
        self.refused = Counter(
            "reward_refused", "Requests that were refused, by HTTP status.", ["status"],
            registry=self._registry,
        )  # fmt: skip

    def watch(self, work: WorkQueue, references: AnswerCache) -> None:
        self._registry.register(ServiceGauges(work, references))

    def count(self, tier: Tier, answer: RewardAnswer) -> None:
        self._answers.labels(tier, answer.verdict or "not_judged").inc()
        self._seconds.labels(tier).observe(answer.seconds)

    def text(self) -> bytes:
        return generate_latest(self._registry)


class ServiceGauges:
    def __init__(self, work: WorkQueue, references: AnswerCache) -> None:
        self._work, self._references = work, references

    def collect(self) -> Iterator[Gauge]:
        work, references = self._work, self._references
        values = {
            "reward_queue_waiting": ("Questions in the queue.", work.waiting),
            "reward_queue_places": ("Places of the queue.", work.most),
            "reward_running": ("Questions that are being answered.", work.running),
            "reward_dropped": ("Questions whose client went away.", work.dropped),
            "reward_references_bytes": ("Kept answers of references.", references.size),
            "reward_references_hits": ("Questions about a kept reference.", references.hits),
            "reward_references_misses": ("References that were answered.", references.misses),
        }
        for name, (about, value) in values.items():
            yield Gauge(name, about, value)
