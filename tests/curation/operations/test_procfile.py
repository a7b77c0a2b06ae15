"""The Procfile: what is read from it, and what is refused."""

import pytest
from django.conf import settings

from curation.operations.procfile import ProcfileUnreadable, Program, parse


def test_each_procfile_line_is_a_program_in_file_order() -> None:
    programs = parse("web: gunicorn site\n\n# the rest\nworker: python manage.py work --fast\n")

    assert programs == [
        Program("web", ("gunicorn", "site")),
        Program("worker", ("python", "manage.py", "work", "--fast")),
    ]


def test_leading_assignments_of_a_command_become_environment_variables() -> None:
    [program] = parse("gpu: CUDA_VISIBLE_DEVICES=1 NAME='a b' python work.py A=1")

    assert program.variables == {"CUDA_VISIBLE_DEVICES": "1", "NAME": "a b"}
    assert program.arguments == ("python", "work.py", "A=1")


def test_a_procfile_command_is_not_run_by_a_shell() -> None:
    [program] = parse("web: echo '$HOME' ; rm -rf x && $(id)")

    assert program.arguments == ("echo", "$HOME", ";", "rm", "-rf", "x", "&&", "$(id)")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("web gunicorn", "Line 1"),
        ("web: a\nweb: b", "a second time"),
        ("web: 'open", "split"),
        ("web: A=1", "no command"),
        ("# nothing", "no process"),
    ],
)
def test_an_invalid_procfile_is_refused_with_a_sentence(text: str, word: str) -> None:
    with pytest.raises(ProcfileUnreadable, match=word):
        parse(text)


def test_the_project_procfile_names_web_workers_and_scheduler() -> None:
    programs = parse((settings.BASE_DIR / "Procfile").read_text())

    assert [program.name for program in programs] == ["web", "ingest", "validation", "scheduler"]
