"""A drafted launcher logs nothing."""

from __future__ import annotations

TEST = """
def test_doubled():
    x = torch.randn(64, device=device)
    assert torch.allclose(doubled(x), x + x)
"""
