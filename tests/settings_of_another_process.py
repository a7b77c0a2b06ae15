"""The settings of a process that shares the SQLite file of a running test."""

import os

from curation.settings import *  # noqa: F403
from curation.settings import DATABASES

DATABASES["default"]["NAME"] = os.environ["TEST_DATABASE"]
