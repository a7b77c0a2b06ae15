"""Worker role that answers one question for `questions.Workers`.

A program is a module with `ROLES`, `HAS_COMPILE_BUDGET` and `up(settings)`, which returns versions.
It imports all modules that children need, because children can't import this project's modules.
"""

import json
import resource
from collections.abc import Callable
from typing import Any

from validation.harness.pool.channel import Blob

# A question is limited in CPU time, so that none fails on a busy machine. The wait for an answer is
# limited to this multiple of the CPU time.
PATIENCE = 4
# Additional seconds for ptxas and the second compile.
MARGIN = 5.0

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def roles(answer: Answer) -> dict[str, Any]:
    return {"question": lambda _: QuestionRole(answer)}


class QuestionRole:
    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def answer(self, order: dict[str, Any], _: list[memoryview]) -> tuple[Any, list[Blob]]:
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        # At the soft limit, SIGXCPU ends the process and shows the reason. The hard limit kills it.
        resource.setrlimit(resource.RLIMIT_CPU, (hard - 1, hard))
        text = json.dumps(self._answer(order))
        used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        seconds = sum(part.ru_utime + part.ru_stime for part in used)
        return {"text": text, "seconds": round(seconds, 3)}, []
