from __future__ import annotations

import base64
import hashlib
import json
import socket
from pathlib import Path

import pytest

from curation.errors import CurationError
from curation.tokens import ENCODING, count_many, count_tokens, tokenizer_of
from tests.curation.export.writing import export, manifest, records
from tests.factories import a_license, an_approved_kernel, an_approved_pair


def test_the_default_encoding_counts_tokens_as_expected() -> None:
    assert ENCODING == "cl100k_base"
    assert count_tokens("hello world") == 2
    assert count_tokens("") == 0


def test_special_tokens_in_a_text_are_counted_as_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


def test_counting_many_texts_gives_the_count_of_each() -> None:
    texts = ["import triton", "", "é" * 50, "tl"]

    assert count_many(texts) == [count_tokens(text) for text in texts]


def test_a_text_with_a_lone_surrogate_can_be_counted() -> None:
    assert count_tokens("x\ud800y") > 0


def test_the_default_tokenizer_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("The network was asked for.")

    monkeypatch.setattr(socket.socket, "connect", refuse)

    assert count_tokens("tl.load(pointer, mask=mask)") > 3


def ranks(*tokens: bytes) -> str:
    """A tiktoken file with all single bytes, and these tokens after them."""
    every = [*(bytes([byte]) for byte in range(256)), *tokens]
    lines = (f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(every))
    return "\n".join(lines) + "\n"


def a_tokenizer_json() -> str:
    """Splits at white space; every word is unknown, and one token."""
    model = {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}
    return json.dumps({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": model})


def test_a_tiktoken_file_counts_its_own_tokens(tmp_path: Path) -> None:
    file = tmp_path / "small.tiktoken"
    file.write_text(ranks(b"ab"))

    tokenizer = tokenizer_of(str(file))

    assert tokenizer.count(["abab", "abc", "", "x\ud800"])[:3] == [2, 2, 0]
    assert tokenizer.name == "small.tiktoken"
    assert tokenizer.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_tokens_are_counted_with_a_tokenizer_json(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    file = tmp_path / "tokenizer.json"
    file.write_text(a_tokenizer_json())

    assert tokenizer_of(str(file)).count(["one two three", "", "x\ud800"])[:2] == [3, 0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello\n", "line 1 is not a token in Base64"),
        ("!!!! 3\n", "line 1 is not a token in Base64"),
        ("YWI= 1\n", "no token for some single bytes"),
        (ranks() + "YWI= 7\n", "two tokens the same rank"),
    ],
)
def test_a_bad_tokenizer_file_is_refused_with_a_sentence(
    text: str, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "bad"
    file.write_text(text)

    with pytest.raises(CurationError, match=sentence):
        tokenizer_of(str(file))


def test_a_json_file_that_is_not_a_tokenizer_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    file = tmp_path / "tokenizer.json"
    file.write_text('{"model": 3}')

    with pytest.raises(CurationError, match="is not a tokenizer.json"):
        tokenizer_of(str(file))


def test_a_missing_tokenizer_file_is_refused() -> None:
    with pytest.raises(CurationError, match="can't be read"):
        tokenizer_of("/nowhere/tokenizer.json")


@pytest.mark.django_db
@pytest.mark.parametrize("unit", ["standalone", "function"])
def test_an_export_counts_by_the_tokenizer_that_it_names(unit: str, tmp_path: Path) -> None:
    file = tmp_path / "bytes.tiktoken"
    file.write_text(ranks())
    license = a_license()
    kernel = an_approved_kernel(license=license)
    pair = an_approved_pair(license=license)

    folder = export(
        tmp_path / "out", "--tokenizer", str(file), "--splits", "100/0/0", "--unit", unit
    )

    (of_kernel,) = records(folder / "kernels" / "train.jsonl")
    (of_pair,) = records(folder / "pairs" / "train.jsonl")
    assert of_kernel["metadata"]["tokens"] == len(of_kernel["input"].encode())
    texts = (pair.python_code, pair.triton_code, pair.test_code)
    assert of_pair["metadata"]["tokens"] == len("\n".join(texts).encode())
    assert kernel.tokens != of_kernel["metadata"]["tokens"]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert manifest(folder)["tokenizer"] == {"name": "bytes.tiktoken", "sha256": digest}
    assert manifest(folder)["options"]["tokenizer"] == "bytes.tiktoken"
    card = (folder / "README.md").read_text()
    assert f"counted by bytes.tiktoken (sha256 {digest})" in card
    assert card.count("tokens (bytes.tiktoken)") == 2


@pytest.mark.django_db
def test_a_release_can_be_exported_again_without_its_tokenizer_file(tmp_path: Path) -> None:
    file = tmp_path / "bytes.tiktoken"
    file.write_text(ranks())
    an_approved_pair(license=a_license())
    first = export(tmp_path / "one", "--tokenizer", str(file), "--release", "1")
    file.unlink()

    again = export(tmp_path / "two", "--release", "1")

    assert manifest(again) == manifest(first)
