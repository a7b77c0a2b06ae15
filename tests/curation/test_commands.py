"""The help and the arguments of every command of the project."""

import json
import shlex
from argparse import SUPPRESS, Action, ArgumentTypeError
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import load_command_class
from django.core.management.base import CommandParser

from curation.management.arguments import at_least_one, output_file
from curation.models import Verdict
from tests.factories import a_pair, a_validation_result
from tests.probes import output_of

BASE = {"version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color"}
COMMANDS = [
    (app, path.stem)
    for app in ("curation", "ingest", "validation")
    for path in sorted((Path(apps.get_app_config(app).path) / "management/commands").glob("*.py"))
    if path.stem != "__init__"
]
each_command = pytest.mark.parametrize(("app", "name"), COMMANDS)


def parser_of(app: str, name: str) -> CommandParser:
    return load_command_class(app, name).create_parser("manage.py", name)


def options(parser: CommandParser) -> list[Action]:
    ours = [action for action in parser._actions if action.dest not in {*BASE, "help"}]
    return [action for action in ours if action.help != SUPPRESS]


@each_command
def test_the_help_has_an_example_that_the_command_accepts(app: str, name: str) -> None:
    parser = parser_of(app, name)

    assert parser.description
    assert parser.epilog
    example, _, command = parser.epilog.partition(" ")
    words = shlex.split(command)
    assert (example, words[:2]) == ("Example:", ["manage.py", name])
    parser.parse_args(words[2:])


@each_command
def test_every_option_has_help_text(app: str, name: str) -> None:
    assert [action.dest for action in options(parser_of(app, name)) if not action.help] == []


@each_command
def test_the_help_of_every_option_with_a_value_names_its_default(app: str, name: str) -> None:
    silent = [
        action.dest
        for action in options(parser_of(app, name))
        if action.option_strings and action.nargs != 0 and not action.required
        if "default:" not in str(action.help)
    ]

    assert silent == []


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "²", ""])
def test_a_limit_is_a_whole_number_of_at_least_one(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="at least 1"):
        at_least_one(text)
    assert at_least_one("12") == 12


def test_an_output_file_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match="no folder"):
        output_file(str(tmp_path / "missing" / "drafts.jsonl"))
    with pytest.raises(ArgumentTypeError, match="name a file"):
        output_file(str(tmp_path))
    assert output_file(str(tmp_path / "drafts.jsonl")) == tmp_path / "drafts.jsonl"


def list_pairs(*arguments: str) -> list[str]:
    return output_of("list_pairs", *arguments).splitlines()


@pytest.mark.django_db
def test_pairs_are_listed_with_their_newest_verdict() -> None:
    pair = a_pair(origin="manual", operation_type="matmul", difficulty="easy")
    for verdict in (Verdict.PASSED, Verdict.FAILED):
        a_validation_result(pair=pair, verdict=verdict)

    assert list_pairs() == [
        f"pair:{pair.pk}  {pair}  manual matmul easy, pending, failed on interpreter"
    ]


@pytest.mark.django_db
def test_the_command_filters_pairs_as_the_lists_do() -> None:
    a_pair(operation_type="matmul")
    softmax = a_pair(operation_type="softmax")
    a_pair(operation_type="softmax", status="rejected")

    lines = list_pairs("--where", "status=pending operation=softmax", "--json")

    assert [json.loads(line)["item"] for line in lines] == [f"pair:{softmax.pk}"]
