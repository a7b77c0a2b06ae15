"""Asks /healthz before and after the disk of the data folder is full; prints both answers."""

import json
import os

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "curation.settings"
django.setup()

from django.conf import settings  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.test import Client  # noqa: E402

from curation.operations import health  # noqa: E402


def answer() -> dict[str, object]:
    cache.delete(health.NAME)
    response = Client(headers={"Host": "localhost"}).get("/healthz")
    return {"code": response.status_code, **response.json()}


before = answer()
with (settings.DATA_DIR / "filling").open("wb", buffering=0) as file:
    try:
        while True:
            file.write(b"0" * 4096)
    except OSError:
        pass
print(json.dumps([before, answer()]))  # noqa: T201 - read by the test
