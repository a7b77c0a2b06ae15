"""A NaN with its sign set, which no case shows and every caller may bring."""

import pytest
import torch

from tests.hostile.zoo.load import honest_entries
from validation.harness.entry import parse
from validation.harness.plan.trial_plan import varied
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Verdict
from validation.harness.schedule import reports
from validation.harness.worker.variants import make_variant


def test_the_special_nan_value_has_its_sign_bit_set() -> None:
    (trial,) = (
        trial
        for trial in varied([{"n": 8, "seed": 0}], [], [], "interpreter", 1)
        if trial.kind == "special" and not trial.brings_infinity
    )

    (found,) = make_variant((torch.ones(8),), trial.variant)

    assert found.isnan().tolist() == [place == 3 for place in range(8)]
    assert found.signbit().tolist() == found.isnan().tolist()


@pytest.mark.slow
def test_a_bitwise_sort_that_misorders_a_negative_nan_gets_a_note(pool: WorkerPool) -> None:
    (source,) = (entry for entry in honest_entries() if entry.name == "row-sort")
    record = source.record()
    careless = record["triton_code"].replace("mask & (x == x), keys", "mask, keys")
    assert careless != record["triton_code"]

    (report,) = reports([parse(record | {"triton_code": careless}, "careless")], pool)

    assert report.verdict is Verdict.PASSED
    assert report.figures["grades"]["special_values"] == "differ"
    assert "NaN among the values" in str(report.checks)
