"""An export that is asked for in the browser."""

import pytest
from django.test import Client

from curation.errors import CurationError
from curation.export.options import ExportOptions
from curation.export.requests import request_export
from curation.models import ExportRun
from tests.factories import a_curator, a_release

pytestmark = pytest.mark.django_db


def test_the_export_form_can_request_held_out_recipes(client: Client) -> None:
    client.force_login(a_curator())

    client.post(
        "/exports/",
        {
            "formats": "jsonl", "unit": "standalone", "hardware": "cuda", "splits": "90/5/5",
            "seed": 0, "held_out_recipes": "on",
        },
    )  # fmt: skip

    assert ExportRun.objects.get().options["held_out_recipes"] is True


def test_a_release_older_than_an_option_can_be_requested_again() -> None:
    options = ExportOptions(seed=3).as_json()
    older = {name: value for name, value in options.items() if name != "held_out_recipes"}
    a_release(name="1", options=older)

    assert request_export(options, name="1", user=a_curator()).name == "1"
    with pytest.raises(CurationError, match="made with other options"):
        request_export({**options, "seed": 4}, name="1", user=a_curator())
