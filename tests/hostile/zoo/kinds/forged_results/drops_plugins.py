"""The launcher leaves a conftest.py, a sitecustomize.py and a .pth file for whatever runs next in
its folders.
"""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed error not_triton", "own-test values containment"),
    variants=(Variant(name="three-files", edits=(WRITES_ZEROS,), launcher=("drops_plugins",)),),
)
