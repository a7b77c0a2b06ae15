"""Check the language of docstrings, comments, names, page texts and documents.

The rules are those of CONTRIBUTING.md that a regular expression can decide.
"""

import ast
import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("curation", "ingest", "validation")
# Data: pairs written by hand, benchmark texts and generated migrations.
SKIPPED = ("curation/migrations/", "validation/library/")

# Rooms that are still to be rewritten. Remove a room here when its test passes.
NOT_YET = {
    "docs",
}

LONGEST_SENTENCE = 35
LONG_SENTENCE = 25
SHARE_OF_LONG_SENTENCES = 0.15

OPENER = re.compile(
    r"(?:What|Whatever|Who|Whoever|Whom|Whose|Where|Wherever|Of|Nothing|Whether|Which|How|Why)\b"
)
PRONOUN = re.compile(
    r"\b(?:nobody|somebody|anybody|everybody|whoever|whomever|whosever|one's|oneself"
    r"|he|him|his|himself|she|her|hers|herself|(?<!there )(?:is|are) none)\b",
    re.IGNORECASE,
)
BRITISH = re.compile(
    r"(?:licence|licens(?:or)?ship|behaviour|colour|neighbour|favour(?!ite_)|honour|flavour"
    r"|labour|centre|centimetre|catalogue|grey|judgement|artefact|whilst|analyse|defence"
    r"|fulfil(?!l)|labell|modell|travell|cancelling|signall|marshall|tunnell"
    r"|(?:normal|organ|recogn|serial|initial|final|optim|summar|general|special|synchron"
    r"|util|visual|categor|prior|token|random|parallel|memor|custom|minim|maxim|vector"
    r"|quant|canonical|standard|author|item|penal|character|capital|local|stabil)is"
    r"(?:e|ed|er|ers|es|ing|ation|ations)\b)",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')»]*\s+(?=[\"'(`A-Z0-9*]|[a-z_.]+\()|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s+"
)
CODE = re.compile(r"``[^`]*``|`[^`]*`")
WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")


class Fault(NamedTuple):
    """Broken rule at one place."""

    rule: str
    place: str
    text: str


def room_of(path: Path) -> str:
    """Name the room of a file: the package and its folder, `docs` or `templates`."""
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
    templates = ROOT / "templates"
    return [path for path in sorted(templates.rglob("*.html")) if "pairs" not in path.parts]


def document_files() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def sentences_of(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(text) if part and part.strip()]


def docstrings_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text


def comments_of(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[tuple[int, str]]:
    """Yield each comment; lines of comment that follow each other are one."""
    lines: list[str] = []
    first = last = 0
    for token in tokens:
        if token.type != tokenize.COMMENT or token.string.startswith("#!"):
            continue
        text = token.string.lstrip("#: ")
        stands_alone = not token.line[: token.start[1]].strip()
        if lines and stands_alone and token.start[0] == last + 1:
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


def python_faults(path: Path) -> Iterator[Fault]:
    source = path.read_text()
    name = path.relative_to(ROOT).as_posix()
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for line, text in docstrings_of(ast.parse(source)):
        yield from prose_faults(f"{name}:{line}", text)
    for line, text in comments_of(tokens):
        if not text.startswith(("noqa", "type:", "fmt:", "pragma:")):
            yield from prose_faults(f"{name}:{line}", text)
    for token in tokens:
        if BRITISH.search(token.string):
            yield Fault("spelling", f"{name}:{token.start[0]}", token.string[:120])


def page_faults(path: Path) -> Iterator[Fault]:
    """Check the words of a template, without its tags and attributes."""
    name = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", " ", line)
        if PRONOUN.search(text):
            yield Fault("pronoun", f"{name}:{number}", text.strip())
        if BRITISH.search(text):
            yield Fault("spelling", f"{name}:{number}", text.strip())


def document_sentences(path: Path) -> list[str]:
    """Return the sentences of a document, without its code blocks and tables."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"(?m)^\s*\|.*$|^#+ .*$", "\n", text)
    return sentences_of(text)


def document_faults(path: Path) -> Iterator[Fault]:
    name = path.relative_to(ROOT).as_posix()
    sentences = [CODE.sub("code", sentence) for sentence in document_sentences(path)]
    for sentence in sentences:
        if PRONOUN.search(sentence):
            yield Fault("pronoun", name, sentence)
        if BRITISH.search(sentence):
            yield Fault("spelling", name, sentence)
    long = [one for one in sentences if len(WORD.findall(one)) > LONG_SENTENCE]
    if sentences and len(long) / len(sentences) > SHARE_OF_LONG_SENTENCES:
        share = f"{len(long)} of {len(sentences)} sentences have over {LONG_SENTENCE} words"
        yield Fault("length", name, share)


def faults_by_room() -> dict[str, list[Fault]]:
    faults: dict[str, list[Fault]] = defaultdict(list)
    for path in python_files():
        faults[room_of(path)] += python_faults(path)
    for path in page_files():
        faults[room_of(path)] += page_faults(path)
    for path in document_files():
        faults[room_of(path)] += document_faults(path)
    return faults


def table(faults: dict[str, list[Fault]]) -> str:
    """Format the counts of each room, one line a room."""
    lines = []
    for room in sorted(room for room in faults if faults[room]):
        counts = Counter(fault.rule for fault in faults[room])
        lines.append(f"{room:32} " + " ".join(f"{rule}: {n}" for rule, n in sorted(counts.items())))
    return "\n".join(lines)
