"""Guessed signature of a kernel from the uses of its parameters, and similar guesses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum, auto

from validation.compile.value_sources import LOADED, Path, PathUses, UseKind, Uses

Type = str | tuple["Type", ...]
FLOAT, HALF = "fp32", "fp16"
ELEMENTS = ("fp32", "i32", "fp16", "i64", "bf16", "i8", "u8", "i1", "fp8e4nv", "i16")
SCALARS = ("i32", "fp32", "i64", "i1", "u32")
DTYPES = ("float32", "float16", "int32", "bfloat16", "int64", "float8e4nv", "int8", "uint8")
# Side length of a block: enough for any dot, and quick to compile even in three dimensions.
SIDE = 32
COUNT = 2
MISSING = object()


@dataclass(frozen=True, slots=True)
class Dtype:
    """A constexpr argument that is a Triton type, given by its name."""

    name: str

    def __str__(self) -> str:
        return f"tl.{self.name}"


Constant = int | float | bool | str | None | Dtype | tuple["Constant", ...]


@dataclass(frozen=True, slots=True)
class Guessed:
    name: str
    constexpr: bool
    default: object = MISSING


@dataclass(frozen=True, slots=True)
class Guess:
    """Types of the runtime arguments, and values of the compile-time constants."""

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
        current: Type | None = self.types.get(str(path[0]))
        for step in path[1:]:
            if isinstance(step, int):
                current = (
                    current[step] if isinstance(current, tuple) and step < len(current) else None
                )
        return current


class Hint(StrEnum):
    """Interpretation of an error: how to change the types of the paths that it refers to."""

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
    parameters: list[Guessed], reading: PathUses, tuning: Mapping[str, Constant]
) -> Guess:
    """Return the first guess. `tuning`: values of constants in the unit's autotuning."""
    types: dict[str, Type] = {}
    constants: dict[str, Constant] = {}
    for parameter in parameters:
        name = parameter.name
        uses = reading.of((name,))
        if name in tuning:
            constants[name] = tuning[name]
        elif parameter.constexpr:
            constants[name] = next(_constants(parameter, uses))
        elif UseKind.DTYPE in uses.kinds and UseKind.POINTER not in uses.kinds:
            constants[name] = Dtype("float32")
        else:
            types[name] = _type((name,), reading, parameter.default)
    return Guess(types, constants)


def _type(path: Path, reading: PathUses, default: object = MISSING) -> Type:
    uses = reading.of(path)
    if UseKind.TUPLE in uses.kinds and UseKind.POINTER not in uses.kinds:
        return tuple(_type((*path, index), reading) for index in range(max(1, uses.items)))
    if UseKind.DESCRIPTOR in uses.kinds:
        return descriptor(uses.rank)
    if any(UseKind.POINTER in reading.of(one).kinds for one in reading.alike(path)):
        return f"*{_element((*path, LOADED), reading)}"
    if UseKind.FLOATING in uses.kinds or isinstance(default, float):
        return FLOAT
    return "i32"


def _element(path: Path, reading: PathUses) -> str:
    alike = reading.alike(path[:-1])
    kinds = {kind for one in alike for kind in reading.of((*one, LOADED)).kinds}
    if UseKind.ADDRESS in kinds:
        return "i64"
    if UseKind.INTEGER in kinds:
        return "i32"
    return HALF if UseKind.MATRIX in kinds else FLOAT


def descriptor(rank: int, element: str = HALF) -> str:
    return f"tensordesc<{element}[{', '.join([str(SIDE)] * rank)}]>"


def _constants(parameter: Guessed, uses: Uses) -> Iterator[Constant]:
    """Yield values for a constexpr, likely values first."""
    if _is_constant(parameter.default) and parameter.default is not None:
        yield parameter.default  # type: ignore[misc] # narrowed by the question before
    if UseKind.DTYPE in uses.kinds:
        yield from map(Dtype, DTYPES)
    yield from (value for value in uses.equals if _is_constant(value))  # type: ignore[misc]
    if UseKind.TUPLE in uses.kinds:
        yield (SIDE,) * max(1, uses.items)
    if UseKind.AXIS in uses.kinds:
        yield from (0, 1)
    if UseKind.SIZE not in uses.kinds and UseKind.COUNT in uses.kinds:
        yield from (COUNT, 4, 1)
    if uses.kinds & {UseKind.FLAG} and not uses.kinds & {UseKind.SIZE}:
        yield from (True, False)
    if UseKind.NONE in uses.kinds and not uses.kinds & {UseKind.SIZE, UseKind.INTEGER}:
        yield None
    yield from (SIDE, 16, 64, 128, 1, 4, 256, 8, 2, False, True, None, 0)
    yield from map(Dtype, DTYPES)
    if uses.equals:
        yield ""


def _is_constant(value: object) -> bool:
    return value is None or isinstance(value, int | float | str | bool)


def others(
    guess: Guess,
    path: Path,
    hint: Hint,
    parameters: Mapping[str, Guessed],
    reading: PathUses,
) -> Iterator[Guess]:
    """Yield guesses that differ from `guess` only at `path`, first those that `hint` suggests."""
    name = str(path[0])
    if name in guess.constants:
        yield from _other_constants(guess, parameters[name], hint, reading.of((name,)))
        if not parameters[name].constexpr:
            yield guess.with_type((name,), "i32")
        return
    current = guess.type_at(path)
    if current is None:
        return
    is_loaded = LOADED in path
    base = path[: path.index(LOADED)] if is_loaded else path
    for new in _other_types(current, hint, is_loaded, reading.of(base)):
        if new != current:
            yield guess.with_type(base, new)
    if hint is Hint.CONSTANT and not is_loaded and len(path) == 1:
        yield guess.with_constant(name, SIDE)


def _other_types(current: Type, hint: Hint, is_loaded: bool, uses: Uses) -> Iterator[Type]:
    pointers = [f"*{element}" for element in ELEMENTS]
    if isinstance(current, tuple):
        yield from ((*current, current[-1]), current[:-1] or current)
        return
    if current.startswith("tensordesc"):
        for element in (FLOAT, "bf16", "i8"):
            yield descriptor(uses.rank or 2, element)
        return
    if is_loaded and not current.startswith("*"):
        yield from pointers
        return
    if is_loaded:
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
            yield from SCALARS if current.startswith("*") else pointers[:2]
        case Hint.FLOATING:
            yield FLOAT
        case Hint.INTEGER:
            yield from ("i32", "i64")
        case Hint.TUPLE:
            yield from (("i32",) * count for count in (2, 3, 1))
        case _:
            pass
    yield from pointers if current.startswith("*") else (*SCALARS, "*fp32")


def _other_constants(guess: Guess, parameter: Guessed, hint: Hint, uses: Uses) -> Iterator[Guess]:
    current = guess.constants[parameter.name]
    values: list[Constant] = []
    if isinstance(current, int) and not isinstance(current, bool):
        if hint is Hint.SMALLER:
            values += [current // 4, current // 2, 1]
        if hint is Hint.LARGER:
            values += [current * 2, current * 4, 128]
    if isinstance(current, bool):
        values.append(not current)
    if isinstance(current, tuple):
        values += [(*current, current[-1]), current[:-1]]
    if hint is Hint.TUPLE:
        values += [(SIDE, SIDE), (SIDE,), (SIDE,) * 3]
    values += _constants(parameter, uses)
    tried = [repr(current)]
    for value in values:
        if repr(value) not in tried:
            tried.append(repr(value))
            yield guess.with_constant(parameter.name, value)


def flags(guess: Guess, *, value: bool) -> Guess:
    """Set every boolean constant to `value`."""
    constants = {
        name: value if isinstance(now, bool) else now for name, now in guess.constants.items()
    }
    return replace(guess, constants=constants)


def elements(guess: Guess, old: tuple[str, ...], new: str) -> Guess:
    """Replace the element type of each pointer by `new` if it is one of `old`."""
    return replace(guess, types={name: _swap(kind, old, new) for name, kind in guess.types.items()})


def quarter(guess: Guess) -> Guess:
    """Divide large sizes by four, because unrolled loops can take minutes to compile."""
    return _sized(guess, lambda value: max(16, value // 4))


def no_larger(guess: Guess) -> Guess:
    """Limit sizes to SIDE. This makes all large sizes equal; `quarter` does not ensure that."""

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


def _put(current: Type, indices: list[int], new: Type) -> Type:
    if not indices:
        return new
    first, *rest = indices
    items = list(current) if isinstance(current, tuple) else []
    items += ["i32"] * (first + 1 - len(items))
    items[first] = _put(items[first], rest, new)
    return tuple(items)
