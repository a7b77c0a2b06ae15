"""Cases of a pair's test, read from its text, for the form of the tab “Try it”."""

import ast
from dataclasses import dataclass
from typing import Any

PLAIN = (bool, int, float, str)
KEYS_MOST, CASES_MOST, CHOICES_MOST = 20, 200, 12


@dataclass(frozen=True, slots=True)
class CaseField:
    """An input of the form. `choices`: the texts that the cases of the test have for this key."""

    key: str
    value: str
    kind: str
    choices: tuple[str, ...] = ()


def read_cases(test_code: str) -> list[dict[str, Any]]:
    """Return CASES if it is a list of dicts of literals; else an empty list."""
    try:
        statements = ast.parse(test_code).body
        for statement in statements:
            match statement:
                case ast.Assign(targets=[ast.Name(id="CASES")], value=value):
                    cases = ast.literal_eval(value)
                    whole = all(type(case) is dict for case in cases)
                    return list(cases[:CASES_MOST]) if whole else []
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    return []


def fields_of(cases: list[dict[str, Any]], place: int, instead: dict[str, Any]) -> list[CaseField]:
    """Return a form field for each scalar value of a case. `instead`: changed values by key."""
    fields = []
    for key, value in list(cases[place].items())[:KEYS_MOST]:
        if type(key) is not str or type(value) not in PLAIN:
            continue
        texts: set[str] = set()
        if type(value) is str:
            texts = {case[key] for case in cases if type(case.get(key)) is str}
        choices = tuple(sorted(texts)) if len(texts) <= CHOICES_MOST else ()
        fields.append(CaseField(key, str(instead.get(key, value)), type(value).__name__, choices))
    return fields


def changed_values(case: dict[str, Any], given: dict[str, str]) -> dict[str, Any]:
    """Return the values that differ from the case, converted to the types of the case.

    Raise ValueError with a sentence if a text can't be converted.
    """
    changed = {}
    for key, text in given.items():
        old = case.get(key)
        if type(old) not in PLAIN or text.strip() == str(old):
            continue
        try:
            changed[key] = _read(text.strip(), type(old))
        except ValueError:
            kind = {"int": "a whole number", "float": "a number"}.get(type(old).__name__, "a value")
            raise ValueError(f"{key}: {text[:40]!r} is not {kind}.") from None
    return changed


def _read(text: str, kind: type) -> Any:
    if kind is bool:
        if text not in ("True", "False"):
            raise ValueError(text)
        return text == "True"
    if kind is int:
        number = int(text)
        if abs(number) >= 1 << 53:
            raise ValueError(text)
        return number
    return float(text) if kind is float else text
