"""A drafted launcher logs nothing."""

from __future__ import annotations

from tests.ingest.drafting.repositories import DOUBLING, whole

TEST = """
def test_doubled():
    x = torch.randn(64, device=device)
    assert torch.allclose(doubled(x), x + x)
"""


def test_messages_to_a_log_are_left_out() -> None:
    logging = DOUBLING.replace(
        "    out = torch.empty_like(x)",
        '    logger.debug("doubled")\n\n    out = torch.empty_like(x)',
    ).replace("import torch\n", "import logging\nimport torch\n\nlogger = logging.getLogger()\n", 1)

    code = whole(TEST, ops__doubling=logging).texts.triton_code

    assert "logg" not in code
    assert "def doubling(x):\n    out = torch.empty_like(x)" in code


def test_a_branch_that_only_logs_goes_with_its_message() -> None:
    logging = DOUBLING.replace(
        "    out = torch.empty_like(x)",
        "    if scale > 1:\n        warnings.warn('large')\n    out = torch.empty_like(x)",
    ).replace("import torch\n", "import warnings\nimport torch\n", 1)

    code = whole(TEST, ops__doubling=logging).texts.triton_code

    assert "if scale" not in code
    assert "warn" not in code
