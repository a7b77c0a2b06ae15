from __future__ import annotations

import socket

import pytest

from curation.tokens import ENCODING, count_many, count_tokens


def test_the_encoding_is_named_and_its_counts_are_known() -> None:
    assert ENCODING == "cl100k_base"
    assert count_tokens("hello world") == 2
    assert count_tokens("") == 0


def test_special_tokens_in_a_text_are_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


def test_many_are_counted_as_each_one_is() -> None:
    texts = ["import triton", "", "é" * 50, "tl"]

    assert count_many(texts) == [count_tokens(text) for text in texts]


def test_a_lone_surrogate_is_counted_too() -> None:
    assert count_tokens("x\ud800y") > 0


def test_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("The network was asked for.")

    monkeypatch.setattr(socket.socket, "connect", refuse)

    assert count_tokens("tl.load(pointer, mask=mask)") > 3
