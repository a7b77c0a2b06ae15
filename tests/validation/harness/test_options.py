"""Options of the harness that can't be served are refused with a sentence."""

from typing import Any

import pytest

from validation.harness.options import Options, Unsuited


@pytest.mark.parametrize("given", [{"jobs": -1}, {"timeout": 0}, {"timeout": -3.0}, {"memory": 0}])
def test_a_limit_that_allows_no_work_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(Unsuited, match="--"):
        Options(**given).validate()
    Options().validate()
