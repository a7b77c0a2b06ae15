"""A signature for a kernel, guessed from the uses of its parameters, and other guesses near it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum, auto

from validation.compile.values import LOADED, Path, Reading, Use, Uses

Type = str | tuple["Type", ...]
FLOAT, HALF = "fp32", "fp16"
ELEMENTS = ("fp32", "i32", "fp16", "i64", "bf16", "i8", "u8", "i1", "fp8e4nv", "i16")
SCALARS = ("i32", "fp32", "i64", "i1", "u32")
DTYPES = ("float32", "float16", "int32", "bfloat16", "int64", "float8e4nv", "int8", "uint8")
# A block's side: enough for any dot, and quick to compile also in three dimensions.
SIDE = 32
COUNT = 2
MISSING = object()


@dataclass(frozen=True, slots=True)
class Dtype:
    """A constexpr that is a type of Triton's, by its name there."""

    name: str

    def __str__(self) -> str:
        return f"tl.{self.name}"


Constant = int | float | bool | str | None | Dtype | tuple["Constant", ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    constexpr: bool
    default: object = MISSING


@dataclass(frozen=True, slots=True)
class Guess:
    """Types of what the host passes, values of what is fixed when compiling."""

    types: Mapping[str, Type]
    constants: Mapping[str, Constant]

    def key(self) -> str:
        return repr((sorted(self.types.items()), sorted(self.constants.items(), key=repr)))

    def with_type(self, path: Path, new: Type) -> "Guess":
        name, *steps = path
        indices = [step for step in steps if isinstance(step, int)]
        constants = {key: value for key, value in self.constants.items() if key != name}
        types = {**self.types, str(name): _put(self.types.get(str(name), "i32"), indices, new)}
        return Guess(types, constants)

    def with_constant(self, name: str, value: Constant) -> "Guess":
        types = {key: kind for key, kind in self.types.items() if key != name}
        return Guess(types, {**self.constants, name: value})

    def type_at(self, path: Path) -> Type | None:
        found: Type | None = self.types.get(str(path[0]))
        for step in path[1:]:
            if isinstance(step, int):
                found = found[step] if isinstance(found, tuple) and step < len(found) else None
        return found


class Hint(StrEnum):
    """What an error says about the paths that it names."""

    POINTER = auto()
    NO_POINTER = auto()
    INTEGER = auto()
    FLOATING = auto()
    TUPLE = auto()
    CONSTANT = auto()
    SMALLER = auto()
    LARGER = auto()
    OTHER = auto()


def first_guess(
    parameters: list[Parameter], reading: Reading, known: Mapping[str, Constant]
) -> Guess:
    """`known` are values that the unit's own autotuning names."""
    types: dict[str, Type] = {}
    constants: dict[str, Constant] = {}
    for parameter in parameters:
        name = parameter.name
        uses = reading.of((name,))
        if name in known:
            constants[name] = known[name]
        elif parameter.constexpr:
            constants[name] = next(_constants(parameter, uses))
        elif Use.DTYPE in uses.kinds and Use.POINTER not in uses.kinds:
            constants[name] = Dtype("float32")
        else:
            types[name] = _type((name,), reading, parameter.default)
    return Guess(types, constants)


def _type(path: Path, reading: Reading, default: object = MISSING) -> Type:
    uses = reading.of(path)
    if Use.TUPLE in uses.kinds and Use.POINTER not in uses.kinds:
        return tuple(_type((*path, index), reading) for index in range(max(1, uses.items)))
    if Use.DESCRIPTOR in uses.kinds:
        return descriptor(uses.rank)
    if any(Use.POINTER in reading.of(one).kinds for one in reading.alike(path)):
        return f"*{_element((*path, LOADED), reading)}"
    if Use.FLOATING in uses.kinds or isinstance(default, float):
        return FLOAT
    return "i32"


def _element(path: Path, reading: Reading) -> str:
    alike = reading.alike(path[:-1])
    kinds = {kind for one in alike for kind in reading.of((*one, LOADED)).kinds}
    if Use.ADDRESS in kinds:
        return "i64"
    if Use.INTEGER in kinds:
        return "i32"
    return HALF if Use.MATRIX in kinds else FLOAT


def descriptor(rank: int, element: str = HALF) -> str:
    return f"tensordesc<{element}[{', '.join([str(SIDE)] * rank)}]>"


def _constants(parameter: Parameter, uses: Uses) -> Iterator[Constant]:
    """Values for a constexpr, the likeliest first."""
    if _is_constant(parameter.default) and parameter.default is not None:
        yield parameter.default  # type: ignore[misc] # narrowed by the question before
    if Use.DTYPE in uses.kinds:
        yield from map(Dtype, DTYPES)
    yield from (value for value in uses.equals if _is_constant(value))  # type: ignore[misc]
    if Use.TUPLE in uses.kinds:
        yield (SIDE,) * max(1, uses.items)
    if Use.AXIS in uses.kinds:
        yield from (0, 1)
    if Use.SIZE not in uses.kinds and Use.COUNT in uses.kinds:
        yield from (COUNT, 4, 1)
    if uses.kinds & {Use.FLAG} and not uses.kinds & {Use.SIZE}:
        yield from (True, False)
    if Use.NONE in uses.kinds and not uses.kinds & {Use.SIZE, Use.INTEGER}:
        yield None
    yield from (SIDE, 16, 64, 128, 1, 4, 256, 8, 2, False, True, None, 0)
    yield from map(Dtype, DTYPES)
    if uses.equals:
        yield ""


def _is_constant(value: object) -> bool:
    return value is None or isinstance(value, int | float | str | bool)


def others(
    guess: Guess, path: Path, hint: Hint, parameters: Mapping[str, Parameter], reading: Reading
) -> Iterator[Guess]:
    """The guesses that differ from `guess` in one place: in `path`, what `hint` wants first."""
    name = str(path[0])
    if name in guess.constants:
        yield from _other_constants(guess, parameters[name], hint, reading.of((name,)))
        if not parameters[name].constexpr:
            yield guess.with_type((name,), "i32")
        return
    now = guess.type_at(path)
    if now is None:
        return
    reached = LOADED in path
    where = path[: path.index(LOADED)] if reached else path
    for new in _other_types(now, hint, reached, reading.of(where)):
        if new != now:
            yield guess.with_type(where, new)
    if hint is Hint.CONSTANT and not reached and len(path) == 1:
        yield guess.with_constant(name, SIDE)


def _other_types(now: Type, hint: Hint, reached: bool, uses: Uses) -> Iterator[Type]:
    pointers = [f"*{element}" for element in ELEMENTS]
    if isinstance(now, tuple):
        yield from ((*now, now[-1]), now[:-1] or now)
        return
    if now.startswith("tensordesc"):
        for element in (FLOAT, "bf16", "i8"):
            yield descriptor(uses.rank, element)
        return
    if reached and not now.startswith("*"):
        yield from pointers
        return
    if reached:
        by_hint = {
            Hint.INTEGER: ("i32", "i64", "i1", "i8"),
            Hint.FLOATING: (FLOAT, HALF, "bf16"),
            Hint.POINTER: ("i64",),
        }
        yield from (f"*{element}" for element in (*by_hint.get(hint, ()), *ELEMENTS))
        return
    match hint:
        case Hint.POINTER:
            yield from (*pointers[:3], descriptor(2))
        case Hint.NO_POINTER:
            yield from SCALARS if now.startswith("*") else pointers[:2]
        case Hint.FLOATING:
            yield FLOAT
        case Hint.INTEGER:
            yield from ("i32", "i64")
        case Hint.TUPLE:
            yield from (("i32",) * count for count in (2, 3, 1))
        case _:
            pass
    yield from pointers if now.startswith("*") else (*SCALARS, "*fp32")


def _other_constants(guess: Guess, parameter: Parameter, hint: Hint, uses: Uses) -> Iterator[Guess]:
    now = guess.constants[parameter.name]
    values: list[Constant] = []
    if isinstance(now, int) and not isinstance(now, bool):
        if hint is Hint.SMALLER:
            values += [now // 4, now // 2, 1]
        if hint is Hint.LARGER:
            values += [now * 2, now * 4, 128]
    if isinstance(now, bool):
        values.append(not now)
    if isinstance(now, tuple):
        values += [(*now, now[-1]), now[:-1]]
    if hint is Hint.TUPLE:
        values += [(SIDE, SIDE), (SIDE,), (SIDE,) * 3]
    values += _constants(parameter, uses)
    seen = [repr(now)]
    for value in values:
        if repr(value) not in seen:
            seen.append(repr(value))
            yield guess.with_constant(parameter.name, value)


def flags(guess: Guess, *, value: bool) -> Guess:
    """Every switch set to one side."""
    constants = {
        name: value if isinstance(now, bool) else now for name, now in guess.constants.items()
    }
    return replace(guess, constants=constants)


def elements(guess: Guess, old: tuple[str, ...], new: str) -> Guess:
    """Every pointer to one of some types as a pointer to another one."""
    return replace(guess, types={name: _swap(kind, old, new) for name, kind in guess.types.items()})


def quarter(guess: Guess) -> Guess:
    """Large sizes divided by four: unrolled, they can take the compiler minutes."""
    return _sized(guess, lambda value: max(16, value // 4))


def no_larger(guess: Guess) -> Guess:
    """No size above the usual one: what must be equal stays so where a quarter of each does not."""
    return _sized(guess, lambda value: min(value, SIDE))


def _sized(guess: Guess, change: Callable[[int], int]) -> Guess:
    constants = {
        name: change(value)
        if isinstance(value, int) and not isinstance(value, bool) and value >= SIDE
        else value
        for name, value in guess.constants.items()
    }
    return replace(guess, constants=constants)


def _swap(kind: Type, old: tuple[str, ...], new: str) -> Type:
    if isinstance(kind, tuple):
        return tuple(_swap(inner, old, new) for inner in kind)
    return f"*{new}" if kind.startswith("*") and kind[1:] in old else kind


def _put(now: Type, indices: list[int], new: Type) -> Type:
    if not indices:
        return new
    first, *rest = indices
    items = list(now) if isinstance(now, tuple) else []
    items += ["i32"] * (first + 1 - len(items))
    items[first] = _put(items[first], rest, new)
    return tuple(items)
