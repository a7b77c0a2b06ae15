"""The Procfile: what is read from it, and what is refused."""

import pytest
from django.conf import settings

from curation.operations.procfile import ProcfileUnreadable, Program, parse


def test_each_line_is_a_program_in_the_files_order() -> None:
    programs = parse("web: gunicorn site\n\n# the rest\nworker: python manage.py work --fast\n")

    assert programs == [
        Program("web", ("gunicorn", "site")),
        Program("worker", ("python", "manage.py", "work", "--fast")),
    ]


def test_leading_variables_go_to_the_environment() -> None:
    [program] = parse("gpu: CUDA_VISIBLE_DEVICES=1 NAME='a b' python work.py A=1")

    assert program.variables == {"CUDA_VISIBLE_DEVICES": "1", "NAME": "a b"}
    assert program.arguments == ("python", "work.py", "A=1")


def test_no_shell_reads_the_line() -> None:
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
def test_what_is_no_procfile_is_refused_in_words(text: str, word: str) -> None:
    with pytest.raises(ProcfileUnreadable, match=word):
        parse(text)


def test_our_own_procfile_names_web_workers_and_scheduler() -> None:
    programs = parse((settings.BASE_DIR / "Procfile").read_text())

    assert [program.name for program in programs] == ["web", "ingest", "validation", "scheduler"]
