"""The launcher leaves a conftest.py, a sitecustomize.py and a .pth file for whatever runs next in
its folders.
"""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.VALUES, Check.CONTAINMENT},
    ),
    variants=(Variant(name="three-files", edits=(WRITES_ZEROS,), launcher=("drops_plugins",)),),
)
