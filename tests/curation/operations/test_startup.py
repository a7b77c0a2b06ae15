"""What every process inherits, and by which name the site is asked whether it is well."""

import os
import sys
from pathlib import Path

import pytest
from django.test import override_settings

from curation.operations.address import SiteAddress
from curation.operations.startup import environment, host_header

HERE = SiteAddress("127.0.0.1", 8123)


def test_up_serves_plain_http_on_the_given_port() -> None:
    inherited = environment({}, Path("/data"), HERE)

    assert (inherited["HTTPS"], inherited["PORT"]) == ("0", "8123")


def test_https_stays_on_if_the_operator_sets_it() -> None:
    assert environment({"HTTPS": "1"}, Path("/data"), HERE)["HTTPS"] == "1"


def test_programs_next_to_the_python_interpreter_precede_the_path() -> None:
    inherited = environment({"PATH": "/bin"}, Path("/data"), HERE)

    assert inherited["PATH"].split(os.pathsep) == [os.path.dirname(sys.executable), "/bin"]


def test_the_data_folder_is_independent_of_the_working_directory() -> None:
    inherited = environment({"CURATION_DATA": "data"}, Path("/somewhere/data"), HERE)

    assert inherited["CURATION_DATA"] == "/somewhere/data"


@pytest.mark.parametrize(
    ("allowed", "name"),
    [
        (["localhost", "127.0.0.1"], "127.0.0.1:8123"),
        (["*"], "127.0.0.1:8123"),
        (["curation.example.org"], "curation.example.org"),
        ([".example.org"], "example.org"),
    ],
)
def test_the_health_check_uses_an_allowed_host_name(allowed: list[str], name: str) -> None:
    with override_settings(ALLOWED_HOSTS=allowed):
        assert host_header(HERE) == name
