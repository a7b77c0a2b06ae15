"""Recorded programs in a form that two runs of a draft can be compared in."""

import hashlib
import json
from typing import Any

Json = Any


class Program:
    """A recorded program as steps that do not change if unused memory is removed.

    Storages are numbered by their first use. Allocations are left out. So is the first copy into
    each, since the storage differs from its source only after later writes, and so are fills of
    memory that nothing reads.
    """

    def __init__(self, program: Json) -> None:
        self._program = program
        self._numbers: dict[int, int] = {}
        self._new: set[int] = set()

    def steps(self) -> list[Json]:
        flat = [*self._flat(self._program["instructions"])]
        for number, backward in sorted(self._program["backwards"].items()):
            flat += [f"backward {number}", *self._flat(backward.pop("instructions")), backward]
        read = self._read([*flat, {"answer": self._program["answer"]}])
        return [self._step(each) for each in read if not self._is_first_copy(each)]

    def _read(self, instructions: list[Json]) -> list[Json]:
        used = {*self._program["inputs"]}
        kept = []
        for each in reversed(instructions):
            fills = isinstance(each, dict) and each.get("do") in ("fill", "copy")
            if not fills or each["target"][0] in used:
                own = Program(self._program)
                own._numbered(each)
                used |= own._numbers.keys()
                kept.append(each)
        return kept[::-1]

    def _is_first_copy(self, instruction: Json) -> bool:
        is_copy = isinstance(instruction, dict) and instruction.get("do") == "copy"
        if not is_copy or instruction["target"][0] not in self._new:
            return False
        self._new.discard(instruction["target"][0])
        return True

    def _flat(self, instructions: list[Json]) -> list[Json]:
        flat: list[Json] = []
        for each in instructions:
            inner = each.pop("instructions", [])
            if each["do"] == "allocate":
                self._new.add(each["storage"])
            else:
                flat.append(each)
            flat += self._flat(inner)
        return flat

    def _step(self, part: Json) -> Json:
        if isinstance(part, dict) and part.get("do") == "launch":
            arguments = {name: self._hashed(each) for name, each in part["arguments"].items()}
            return [part["kernel"], self._hashed([part["grid"], part["options"]]), arguments]
        return self._hashed(part)

    def _hashed(self, part: Json) -> str:
        text = json.dumps(self._numbered(part), default=repr, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def _numbered(self, part: Json) -> Json:
        match part:
            case [int() as number, str(), list(), list(), int()]:
                return [self._numbers.setdefault(number, len(self._numbers)), *part[1:]]
            case {"storage": int() as number}:
                own = self._numbers.setdefault(number, len(self._numbers))
                rest = {key: self._numbered(value) for key, value in part.items()}
                return rest | {"storage": own}
            case {"address": [int() as number, offset]}:
                return {"address": [self._numbers.setdefault(number, len(self._numbers)), offset]}
            case dict():
                return {key: self._numbered(value) for key, value in part.items()}
            case list() | tuple():
                return [self._numbered(value) for value in part]
        return part
