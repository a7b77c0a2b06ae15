"""Who asks Python for something: the entry, or a library for its own ends?

The frames tell. What lies where modules lay before the entry came is a library's; code that bears
such a name and is none can be made, but not unheard (see `conduct`). And whoever asks for his own
ends has the name of what he asks for in his code: a library that has not was handed it.
"""

import dis
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from os.path import normpath
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from validation.harness.inside.folder import MARK
from validation.harness.inside.kinds import is_known

FROZEN = "<frozen "
IMPORT = f"{FROZEN}importlib"
STANDARD = (f"{sysconfig.get_path('stdlib')}/", FROZEN)
# Of Python's library these hand frames to whoever asks, if not for a report some calls further in.
HANDING = ("inspect.py", "traceback.py", "logging/__init__.py")
# These look at frames for their own ends, whoever calls them.
LOOKING = (
    "/collections/__init__.py", "/enum.py", "/typing.py", "/typing_extensions.py", "/warnings.py",
    "/torch/library.py", "/torch/_library/utils.py", "/torch/utils/_traceback.py",
    "/torch/_dynamo/", "/torch/fx/", "/torch/_logging/", "/triton/compiler/compiler.py",
)  # fmt: skip
# And these look at frames for whoever calls them.
GIVING = (
    "/torch/_jit_internal.py", "/torch/fx/proxy.py", "/torch/fx/experimental/symbolic_shapes.py",
)  # fmt: skip
# These make functions from a text, which is theirs but for some names.
MAKERS = ("/dataclasses.py", "/collections/__init__.py", "/typing.py")
ASKED = frozenset({"dataclass", "wrap", "make_dataclass", "namedtuple", "NamedTuple", "__new__"})
# And these run texts that they make of a kernel.
RUNNING = ("/triton/runtime/jit.py", "/triton/runtime/interpreter.py")


MAKE_FUNCTION = dis.opmap["MAKE_FUNCTION"]


class Asker:
    """Made before the entry's code is imported."""

    def __init__(self) -> None:
        self.libraries = (*STANDARD, *sorted(_places()))
        # One of these that calls what the entry put in a place of theirs would hand it over.
        self.as_they_were = {
            id(space): (space, {**space})
            for module in (*sys.modules.values(),)
            if (space := getattr(module, "__dict__", None)) and _looks(str(space.get("__file__")))
        }

    def is_entry(self, frame: FrameType | None) -> bool:
        """Whether the first frame outside of Python's own library is the entry's."""
        for each in _outwards(frame):
            if self._of_entry(each.f_code):
                return True
            if not _standard(each.f_code):
                return False
        return False

    def asks_for(self, frame: FrameType | None, *names: str) -> bool:
        """The entry, who does it for the entry, or who was handed it: only the entry hands out such
        things."""
        return frame is None or self._handed(frame, names) or self._is_behind(frame)

    def is_shown(self, frame: FrameType | None, name: str) -> bool:
        """Whether the entry is handed what was asked for. A report of an error looks at frames too,
        some calls further in."""
        if frame is None or self._handed(frame, (name,)) or not self._as_it_was(frame):
            return True
        further = 0
        for each in _outwards(frame):
            file = each.f_code.co_filename
            if self._of_entry(each.f_code):
                return True
            if not (_standard(each.f_code) and file.endswith(HANDING)):
                # Handed out so far; to whoever asked for it, unless that was handed itself.
                if each is not frame:
                    gives = file.endswith(GIVING) and self._is_behind(each)
                    return gives or self._handed(each, (name,))
                looks = _looks(file) and not file.endswith(GIVING) and self._as_it_was(each)
                return not looks and self._is_behind(each)
            further += not file.endswith("inspect.py")
            if further > 1:
                return not self._are_as_they_were(each)
            name = each.f_code.co_name
        return False

    def calls_c(self, frame: FrameType | None, name: str) -> bool:
        """As `is_entry`, or some library that was handed it: whoever does so for his own ends names
        ctypes, or what he asks C for."""
        for each in _outwards(frame):
            if self._of_entry(each.f_code):
                return True
            if not _standard(each.f_code):
                return not ({"ctypes", name} & {*each.f_code.co_names} or self._is_imported(each))
        return False

    def changes(self, frame: FrameType | None, name: str) -> bool:
        """As `asks_for`, but that what Python's library changes is its own."""
        return frame is None or self._handed(frame, (name,)) or self._of_entry(frame.f_code)

    def makes_code(self, code: object, frame: FrameType | None) -> bool:
        """Whether it is the entry that runs a text or a code object, and not by an import."""
        if frame is None or type(code) is not CodeType or type(code.co_filename) is not str:
            return True
        if self._of_entry(code) and MAKE_FUNCTION not in code.co_code[::2]:
            # It makes no function, and what it asks for by itself, the entry asks for.
            return False
        file = frame.f_code.co_filename
        if file.startswith(IMPORT):
            return not _imported(code, frame)
        if self._handed(frame, ("exec", "eval")):
            return True
        if file.endswith(RUNNING) and not self._of_entry(frame.f_code):
            return not (self._of_entry(code) or _rewritten(code, frame))
        return not _made(frame) and self._is_behind(frame)

    def makes_function(self, code: object, frame: FrameType | None) -> bool:
        """From code that does not say that it is the entry's."""
        if type(code) is CodeType and type(code.co_filename) is str and MARK in code.co_filename:
            return False
        return self.asks_for(frame, "FunctionType")

    def _of_entry(self, code: CodeType) -> bool:
        return not _lies_in(code, self.libraries)

    def _handed(self, frame: FrameType, names: tuple[str, ...]) -> bool:
        code = frame.f_code
        if self._of_entry(code) or any(name in code.co_names for name in names):
            return False
        # What a library calls by another name while it is imported, it called so itself.
        return not self._is_imported(frame)

    def _is_behind(self, frame: FrameType) -> bool:
        """Whether the first frame outside of this library, and of Python's, is the entry's."""
        own = self._library(frame.f_code)
        for each in _outwards(frame):
            if self._of_entry(each.f_code):
                return True
            if each.f_code.co_filename.startswith(IMPORT):
                return False
            if not _standard(each.f_code) and self._library(each.f_code) != own:
                return False
        return False

    def _is_imported(self, frame: FrameType) -> bool:
        """Whether a library is, with nothing of the entry's on the way."""
        for each in _outwards(frame):
            if self._of_entry(each.f_code):
                return False
            if each.f_code.co_filename.startswith(IMPORT):
                return True
        return False

    def _library(self, code: CodeType) -> str:
        """Where the package lies, or the module that is none's."""
        name = code.co_filename
        place = max((each for each in self.libraries if name.startswith(each)), key=len, default="")
        return place + name[len(place) :].partition("/")[0]

    def _are_as_they_were(self, frame: FrameType) -> bool:
        """All that make the report."""
        for each in _outwards(frame):
            if not each.f_code.co_filename.endswith(HANDING):
                return True
            if not self._as_it_was(each):
                return False
        return True

    def _as_it_was(self, frame: FrameType) -> bool:
        """Whether what a function of theirs calls by a name is what that was, where we know."""
        space, before = self.as_they_were.get(id(frame.f_globals), ({}, {}))
        nothing: Any = object()
        return all(
            space.get(name, nothing) is before.get(name, nothing) for name in frame.f_code.co_names
        )


def _looks(file: str) -> bool:
    return file.endswith(HANDING) or any(looking in file for looking in LOOKING)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _places() -> set[str]:
    """Where modules are looked for, and where those lie that are there by now, and ours."""
    found = {f"{Path(__file__).parents[2]}/"}
    found |= {f"{place}/" for place in sys.path if place.startswith("/") and MARK not in place}
    for name, module in (*sys.modules.items(),):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith("/") and "." not in name:
            place = Path(file).parent
            found.add(f"{place.parent if hasattr(module, '__path__') else place}/")
    return found


def _lies_in(code: CodeType, places: tuple[str, ...]) -> bool:
    """There, and not on the way through there to elsewhere."""
    name = code.co_filename
    if not name.startswith(places) or MARK in name:
        return False
    return name.startswith(FROZEN) or normpath(name) == name


def _standard(code: CodeType) -> bool:
    """Python's own."""
    return _lies_in(code, STANDARD) and "-packages/" not in code.co_filename


def _imported(code: CodeType, frame: FrameType) -> bool:
    """Whether an import took it from the file whose name it bears."""
    for each in _outwards(frame):
        if not each.f_code.co_filename.startswith(IMPORT):
            return False
        if each.f_code.co_name == "exec_module":
            loader = each.f_locals.get("self")
            own = vars(loader) if type(loader) is SourceFileLoader else {}
            plain = all(type(part) is str for part in (*own, *own.values()))
            return plain and {*own} == {"name", "path"} and own["path"] == code.co_filename
    return False


def _rewritten(code: CodeType, frame: FrameType) -> bool:
    """Whether Triton's interpreter does so, unasked, with a kernel of the file that the code names:
    those of libraries it rewrites as well."""
    caller, own = frame.f_back, frame.f_locals.get("self")
    if caller is None or caller.f_code.co_name != "rewrite_ast" or not is_known(type(own)):
        return False
    parts = {**vars(own)}
    kernel = parts.pop("fn", None)
    if type(kernel) is not FunctionType or any(map(callable, parts.values())):
        return False
    name = kernel.__code__.co_filename
    same = frame.f_code.co_filename == caller.f_code.co_filename
    return same and type(name) is str and name == code.co_filename


def _made(frame: FrameType) -> bool:
    """Whether Python's library makes a class, as it does for honest launchers too, and was not
    asked for the function alone."""
    asked = ""
    for each in _outwards(frame):
        code = each.f_code
        if not (_standard(code) and code.co_filename.endswith(MAKERS)):
            break
        asked = code.co_name
    return asked in ASKED
