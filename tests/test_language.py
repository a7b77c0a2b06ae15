"""Language of docstrings, comments, names, page texts and documents.

A sentence names its subject first: it starts with no "What", "Who" or "Of". Code, processes and
rows are "it", not "nobody" or "whoever". Sentences are short, and the spelling is American. A
room is a folder of a package.
"""

import ast
import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("benchmarks", "curation", "ingest", "validation")
# Migrations are history. The library's pairs and the templates of pairs are data.
SKIPPED = (
    "curation/migrations/", "ingest/drafting/templates/", "validation/pairs/inductor/templates/",
    "validation/pairs/library/",
)  # fmt: skip

# Most words of a sentence in a docstring or comment.
LONGEST_SENTENCE = 35
# Most words of most sentences in a document, and the share that may have more.
LONG_SENTENCE = 25
LONG_SHARE = 0.15
# Lines that a variable with an unclear name may live.
LONGEST_LIFE = 3
# British words that must stay, by the files that may contain them in strings. The content hash of a
# generated pair covers its texts, and the pair is stored with its recipe's name: with an American
# spelling it would be a new pair. `LICENCE` is a file name in other repositories.
STORED_WORDS = {
    "ingest/licenses/governing.py": r"LICENCE",
    "validation/pairs/inductor/modules.py": r"l2_normalise",
}
UNCLEAR_NAMES = {"found", "said", "told", "asked", "one", "here", "mine", "theirs"}

OPENER = re.compile(
    r"(?:What|Whatever|Who|Whoever|Whom|Whose|Where|Wherever|Of|Nothing|Whether|Which|How|Why)\b"
)
PRONOUN = re.compile(
    r"\b(?:nobody|somebody|anybody|everybody|whoever|whomever|one's|oneself"
    r"|he|him|his|himself|she|her|hers|herself|(?<!there )(?:is|are) (?-i:none))\b",
    re.IGNORECASE,
)
BRITISH = re.compile(
    r"(?:licence|behaviour|colour|neighbour|favour(?!ite_)|honour|flavour|labour|centre"
    r"|catalogue|grey|judgement|artefact|whilst|analyse|defence|fulfil(?!l)|labell|modell"
    r"|travell|signall|marshall|tunnell"
    r"|(?:normal|organ|recogn|serial|initial|final|optim|summar|general|special|synchron"
    r"|util|visual|categor|prior|token|random|parallel|memor|custom|minim|maxim|vector"
    r"|canonical|standard|author|item|penal|character|capital|local|stabil)is"
    r"(?:e|ed|er|ers|es|ing|ation|ations)\b)",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')»]*\s+(?=[\"'(`A-Z0-9*])"
    r"|\n\s*\n"
    r"|\n\s*(?:[-*]|\d+\.)\s+"
    # A parameter of a docstring: "name: text" or "first, second: text".
    r"|(?<=[.!?])\n\s*(?=[a-z]\w*(?:, \w+)*: )"
)
CODE = re.compile(r"``[^`]*``|`[^`]*`")
WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
# Comments for tools.
PRAGMA = re.compile(r"noqa|type:|fmt:|pragma:|mypy:")


class Fault(NamedTuple):
    """A broken rule."""

    rule: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {' '.join(self.text.split())[:200]}"


# --- Rooms ----------------------------------------------------------------------------------------
def room_of(path: Path) -> str:
    """Return the room of a file: a package and its folder, `docs` or `templates`."""
    parts = path.relative_to(ROOT).parts
    if parts[0] in PACKAGES:
        return "/".join(parts[:2]) if len(parts) > 2 else parts[0]
    return "docs" if path.suffix == ".md" else parts[0]


def python_files() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not path.relative_to(ROOT).as_posix().startswith(SKIPPED):
                yield path


def page_files() -> list[Path]:
    pages = sorted((ROOT / "templates").rglob("*.html"))
    scripts = sorted((ROOT / "static").rglob("*.js"))
    return [*pages, *scripts]


def document_files() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@cache
def faults_by_room() -> dict[str, list[Fault]]:
    """Return the faults of all rooms, including rooms without any."""
    faults: dict[str, list[Fault]] = defaultdict(list)
    for path in python_files():
        faults[room_of(path)] += python_faults(path)
    for path in page_files():
        faults[room_of(path)] += page_faults(path)
    for path in document_files():
        faults[room_of(path)] += document_faults(path)
    return dict(faults)


def rooms() -> list[str]:
    paths = [*python_files(), *page_files(), *document_files()]
    return sorted({room_of(path) for path in paths})


# --- Python ---------------------------------------------------------------------------------------
def python_faults(path: Path) -> Iterator[Fault]:
    source = path.read_text()
    name = path.relative_to(ROOT).as_posix()
    nodes = list(ast.walk(ast.parse(source)))
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for line, text in (*docstrings_of(nodes), *comments_of(tokens)):
        yield from prose_faults(f"{name}:{line}", text)
    yield from name_faults(name, nodes)
    stored = [words for place, words in STORED_WORDS.items() if name.startswith(place)]
    for token in tokens:
        text = token.string
        if stored and token.type == tokenize.STRING:
            text = re.sub(rf"\b(?:{'|'.join(stored)})\b", "", text)
        if is_british(text):
            yield Fault("spelling", f"{name}:{token.start[0]}", token.string)


@cache
def is_british(token: str) -> bool:
    """Search each token once: most of them stand in many files."""
    return bool(BRITISH.search(token))


def docstrings_of(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text


def comments_of(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[tuple[int, str]]:
    """Yield each comment; successive lines of comment are one."""
    lines: list[str] = []
    first = last = 0
    for token in tokens:
        text = token.string.lstrip("#: ")
        if token.type != tokenize.COMMENT or PRAGMA.match(text):
            continue
        stands_alone = not token.line[: token.start[1]].strip()
        if stands_alone and token.start[0] == last + 1:
            lines.append(text)
        else:
            if lines:
                yield first, "\n".join(lines)
            lines, first = [text], token.start[0]
        last = token.start[0] if stands_alone else -1
    if lines:
        yield first, "\n".join(lines)


def prose_faults(place: str, text: str) -> Iterator[Fault]:
    """Find forbidden openers and pronouns, and sentences that are too long."""
    for sentence in sentences_of(text):
        plain = CODE.sub("code", sentence)
        if OPENER.match(plain):
            yield Fault("opener", place, sentence)
        if PRONOUN.search(plain):
            yield Fault("pronoun", place, sentence)
        if len(WORD.findall(plain)) > LONGEST_SENTENCE:
            yield Fault("length", place, sentence)


def name_faults(name: str, nodes: list[ast.AST]) -> Iterator[Fault]:
    """Find variables with an unclear name that live longer than a few lines."""
    if not any(_variable(node) in UNCLEAR_NAMES for node in nodes):
        return
    for function in nodes:
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines: dict[str, list[int]] = defaultdict(list)
        for node in ast.walk(function):
            if isinstance(node, ast.Name | ast.arg) and _variable(node) in UNCLEAR_NAMES:
                lines[_variable(node)].append(node.lineno)
        for variable, used in lines.items():
            if max(used) - min(used) > LONGEST_LIFE:
                yield Fault("name", f"{name}:{min(used)}", f"{variable} in {function.name}")


def _variable(node: ast.AST) -> str:
    """Return the name of a variable or a parameter."""
    if isinstance(node, ast.Name):
        return node.id
    return node.arg if isinstance(node, ast.arg) else ""


# --- Pages and documents --------------------------------------------------------------------------
def page_faults(path: Path) -> Iterator[Fault]:
    """Check the words of a template, without tags and attributes, or those of a script."""
    name = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", " ", line)
        yield from word_faults(f"{name}:{number}", text)


def document_faults(path: Path) -> Iterator[Fault]:
    """Check a document without its code blocks, tables and headings."""
    name = path.relative_to(ROOT).as_posix()
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"(?m)^\s*\|.*$|^#+ .*$|^    .*$", "\n", text)
    sentences = [CODE.sub("code", sentence) for sentence in sentences_of(text)]
    for sentence in sentences:
        yield from word_faults(name, sentence)
    long = [text for text in sentences if len(WORD.findall(text)) > LONG_SENTENCE]
    if len(long) > LONG_SHARE * len(sentences):
        share = f"{len(long)} of {len(sentences)} sentences have over {LONG_SENTENCE} words"
        yield Fault("length", name, share)


def word_faults(place: str, text: str) -> Iterator[Fault]:
    if PRONOUN.search(text):
        yield Fault("pronoun", place, text)
    if BRITISH.search(text):
        yield Fault("spelling", place, text)


def sentences_of(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(text) if part and part.strip()]


# --- Tests ----------------------------------------------------------------------------------------
def counts() -> str:
    """Return the number of faults of each room, one line a room."""
    lines = []
    for room, faults in sorted(faults_by_room().items()):
        if faults:
            by_rule = Counter(fault.rule for fault in faults)
            numbers = ", ".join(f"{number} {rule}" for rule, number in sorted(by_rule.items()))
            lines.append(f"{room}: {numbers}")
    return "\n".join(lines)


@pytest.mark.parametrize("room", rooms())
def test_the_language_rules_hold_in_each_package(room: str) -> None:
    faults = faults_by_room()[room]

    assert not faults, "\n".join(["", *map(str, faults), "", "All rooms:", counts()])


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Who asks Python for something.", "opener"),
        ("Return the hash. Of a pair, that of its texts.", "opener"),
        ("A row that nobody reads.", "pronoun"),
        ("The child is none to blame an entry for.", "pronoun"),
        (" ".join(["word"] * 36) + ".", "length"),
    ],
)
def test_a_violation_of_a_language_rule_is_reported(text: str, rule: str) -> None:
    assert [fault.rule for fault in prose_faults("a.py:1", text)] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "Return the queue length, capped at 1,000.",
        "Return X, or None if there is none.",
        "Call `nobody` of the `What` protocol.",
        "Return the licensed kernels.\n\n- one item\n- another item",
        "`storage` and `stream` are None.",
        "\n".join(f"name{number}: the first of five words." for number in range(9)),
    ],
)
def test_plain_prose_violates_no_language_rule(text: str) -> None:
    assert list(prose_faults("a.py:1", text)) == []
