"""Scheduler process: runs the periodic tasks. If several are started, only one holds the lease."""

import logging
import signal
import threading
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import OperationalError, close_old_connections
from django.utils.module_loading import import_string

from curation.jobs.duty import SCHEDULER, Duty, scheduler_seconds

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Run the periodic tasks and requeue lost runs, until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py scheduler"

    def handle(self, **options: Any) -> None:
        stopped = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopped.set())
        duty = Duty(SCHEDULER, seconds=scheduler_seconds())
        tasks = [(import_string(path), seconds) for path, seconds in settings.SCHEDULED.items()]
        ended = dict.fromkeys(tasks, -float("inf"))
        try:
            while not stopped.is_set():
                close_old_connections()
                try:
                    for task in tasks if duty.take() else ():
                        work, seconds = task
                        if time.monotonic() - ended[task] >= seconds:
                            work()
                            ended[task] = time.monotonic()
                except OperationalError as error:
                    log.warning("The database can't be reached: %s", error)
                stopped.wait(settings.SWEEP_SECONDS)
        finally:
            duty.release()
