"""Canonical values of number and string literals, without compiling the text."""

from __future__ import annotations

import re


def number(text: str) -> str:
    """Return the value of a number in canonical form.

    `1e-5`, `1e-05` and `0.00001` give the same value, as do `0x10` and `16`.
    """
    plain = text.replace("_", "").lower()
    try:
        if plain.startswith(("0x", "0o", "0b")):
            return str(int(plain, 0))
        if plain.endswith("j"):
            return repr(float(plain[:-1])) + "j"
        return str(int(plain)) if plain.isdigit() else repr(float(plain))
    except ValueError:
        return text


def string(text: str) -> str:
    """Return the value of a string in any spelling. The prefixes `f` and `b` are kept."""
    opening = re.match(r"([A-Za-z]*)('''|\"\"\"|'|\")", text)
    if opening is None:
        return text
    prefix, quote = opening[1].lower(), opening[2]
    value = text[opening.end() :].removesuffix(quote)
    if "r" not in prefix:
        value = unescaped(value)
    return "".join(letter for letter in prefix if letter in "bf") + "'" + value


ESCAPE = re.compile(r"\\(\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})")
CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}


def unescaped(text: str) -> str:
    return ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return CONTROLS.get(code, code)
