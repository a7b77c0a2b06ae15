"""Documents: links, commands, options, paths and sizes agree with the project."""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from validation.rewards import command as serve

ROOT = Path(settings.BASE_DIR)
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
)
LARGEST, LARGEST_OF = (
    20_000,
    {"docs/benchmarks.md": 8_000, "docs/harness.md": 10_000, "docs/dataset.md": 21_000},
)

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PICTURE = re.compile(r'(?:src|srcset)="([^"]+)"')
HEADING = re.compile(r"^#{1,6} +(.+)$", re.M)
COMMAND = re.compile(r"manage\.py ([a-z_]+)([^`\n]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# A program of the project at the shell, by module or by path, or by the name of its benchmark.
PROGRAM = re.compile(
    r"(?:python -m ((?:benchmarks|tests|validation)[\w.]*)"
    r"|python ((?:benchmarks|docs|tests)/[\w/]+\.py)|`(measure_(?!x\b)\w+))([^`\n]*)"
)
# A path of the project in code: no placeholders, no globs.
FOLDERS = "benchmarks|curation|docs|ingest|static|templates|tests|validation"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
# Sentences begin with a noun or a verb, headings too.
RIDDLE = re.compile(r"^#+ +(?:What|Who|Whose|Where|Whether|Of|Nothing)\b", re.M)
PRONOUN = re.compile(r"\b(?:nobody|somebody|whoever|anybody|one's)\b", re.I)


def text(document: str) -> str:
    """Return the text of a document, with each continued line of a command in one."""
    return re.sub(r"\\\n\s*", " ", (ROOT / document).read_text())


@cache
def anchors(document: str) -> frozenset[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```", "", text(document), flags=re.S | re.M)
    return frozenset(
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        for heading in HEADING.findall(prose)
    )


@cache
def options(command: str) -> frozenset[str]:
    app = get_commands()[command]
    loaded = app if isinstance(app, BaseCommand) else load_command_class(app, command)
    return frozenset(loaded.create_parser("manage.py", command)._option_string_actions)


@cache
def harness_options() -> frozenset[str]:
    shown = subprocess.run(
        [sys.executable, "-m", "validation.harness", "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return frozenset(OPTION.findall(shown.stdout + serve.parser().format_help()))


def option_strings(program: str) -> frozenset[str]:
    """Return the options that the source of a module, or of its package, declares."""
    file = ROOT / f"{program.replace('.', '/')}.py"
    files = [file] if file.exists() else sorted(file.with_suffix("").rglob("*.py"))
    declared = {
        option for path in files for option in re.findall(r'"(--[\w-]+)"', path.read_text())
    }
    return frozenset({"--help", *declared})


def test_the_list_of_documents_includes_readme_and_tutorial() -> None:
    assert {"README.md", "docs/tutorial.md", "docs/decisions/README.md"} <= set(DOCUMENTS)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_relative_link_points_to_an_existing_file(document: str) -> None:
    assert list(broken_links(document)) == []


def broken_links(document: str) -> Iterator[str]:
    folder = (ROOT / document).parent
    for link in (*LINK.findall(text(document)), *PICTURE.findall(text(document))):
        path, _, anchor = link.partition("#")
        if ":" in path:
            continue
        target = (folder / path).resolve() if path else ROOT / document
        if not target.exists() or (anchor and anchor not in anchors(name(target))):
            yield link


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_named_in_a_document_exists_with_its_options(document: str) -> None:
    named = COMMAND.findall(text(document))
    unknown = [command for command, _ in named if command not in get_commands()]
    assert unknown == []
    wrong = [
        f"{command} {option}"
        for command, arguments in named
        for option in OPTION.findall(arguments)
        if option not in options(command)
    ]
    assert wrong == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_option_named_in_a_document_belongs_to_a_command(document: str) -> None:
    known = set(harness_options()) | {"--only-together", "--help"}
    for command, app in get_commands().items():
        if app in ("curation", "ingest", "validation"):
            known |= options(command)
    spans = re.findall(r"`(--[^`\n]+)`", text(document))

    assert [o for span in spans for o in OPTION.findall(span) if o not in known] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_program_named_in_a_document_exists_with_its_options(document: str) -> None:
    wrong = []
    for module, path, benchmark, arguments in PROGRAM.findall(text(document)):
        name = module or path.removesuffix(".py").replace("/", ".") or f"benchmarks.{benchmark}"
        if name == "benchmarks.measure_x":
            continue
        if not is_program(name):
            wrong.append(name)
            continue
        known = harness_options() if name == "validation.harness" else option_strings(name)
        wrong += [f"{name} {option}" for option in OPTION.findall(arguments) if option not in known]
    assert wrong == []


def is_program(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__main__.py").exists()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_named_in_a_document_exists(document: str) -> None:
    missing = [
        path
        for path in PATH.findall(text(document))
        # The threat model names tests by their paths below `tests/`.
        if not (ROOT / path).exists() and not (ROOT / "tests" / path).exists()
    ]

    assert missing == []


def test_every_benchmark_explains_its_arguments() -> None:
    texts = {path.name: path.read_text() for path in (ROOT / "benchmarks").glob("[cm]*_*.py")}

    assert "measure_ingest.py" in texts
    assert not [
        name
        for name, text in texts.items()
        if "__main__" in text and not re.search(r"ArgumentParser\(|parse_sources\(", text)
    ]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_document_exceeds_its_size_limit(document: str) -> None:
    assert len(text(document).encode()) <= LARGEST_OF.get(document, LARGEST)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_headings_are_noun_phrases_and_documents_avoid_indefinite_pronouns(document: str) -> None:
    assert RIDDLE.findall(text(document)) == []
    assert PRONOUN.findall(text(document)) == []
