"""Compile check of one kernel, in a process of its own: load, search, compile."""

import json
import math
import os
import resource
import signal
import time
from contextlib import suppress
from dataclasses import asdict, replace
from types import ModuleType
from typing import Any

from validation.compile.compiler import Compiler, Loaded, NotLoaded, found_in, imported
from validation.compile.compiler_errors import is_of_the_language
from validation.compile.device import gpu_target
from validation.compile.guess import Guess, Type, no_larger, quarter
from validation.compile.outcome import CompileAnswer, Compiled, Reason
from validation.compile.search import Found, TooSlow, search
from validation.compile.uses import read_uses
from validation.harness.worker.question import PATIENCE

# Shares of the time limit for search and compile. The remainder is for a smaller compile.
SEARCH, COMPILE = 0.4, 0.3
ATTEMPT_SECONDS = 5.0


def examine(source: str, name: str, target: str, seconds: float) -> dict[str, Any]:
    try:
        module = imported(source)
    except NotLoaded as error:
        return _plain(replace(_not_loaded(error), imports=False))
    return _plain(replace(_examined(module, source, name, target, seconds), imports=True))


def _not_loaded(error: NotLoaded) -> Compiled:
    if error.by_triton:
        return Compiled(CompileAnswer.REJECTED, message=str(error))
    return Compiled(CompileAnswer.UNDECIDED, Reason.EXTRACTION, str(error))


def _examined(module: ModuleType, source: str, name: str, target: str, seconds: float) -> Compiled:
    try:
        loaded = found_in(module, name)
        reading = read_uses(source, loaded.kernel.fn.__name__)
    except NotLoaded as error:
        return _not_loaded(error)
    except (SyntaxError, KeyError, RecursionError) as error:
        message = f"{type(error).__name__}: {error}"
        return Compiled(CompileAnswer.UNDECIDED, Reason.EXTRACTION, message)
    compiler = Compiler(loaded, gpu_target(target))

    def attempt(guess: Guess) -> Any:
        seconds_left = SEARCH * seconds - time.process_time()
        return compiler.to_ttir(guess, min(ATTEMPT_SECONDS, max(seconds_left, 0.1)))

    result = search(attempt, loaded.parameters, reading, loaded.known)
    if result.guess is None:
        return _not_found(result)
    return _compiled(compiler, loaded, result.guess, result, COMPILE * seconds)


def _not_found(result: Found) -> Compiled:
    if result.complaint is None:
        return Compiled(CompileAnswer.UNDECIDED, Reason.TIMEOUT, attempts=result.attempts)
    message = result.complaint.brief
    if is_of_the_language(result.complaint):
        return Compiled(CompileAnswer.REJECTED, message=message, attempts=result.attempts)
    return Compiled(CompileAnswer.UNDECIDED, Reason.INFERENCE, message, attempts=result.attempts)


def _compiled(
    compiler: Compiler, loaded: Loaded, guess: Guess, result: Found, seconds: float
) -> Compiled:
    flips = result.flips
    binary = _in_time(compiler, guess, seconds)
    if binary is None and (smaller := _smaller(compiler, guess)) is not None:
        guess, flips = smaller, flips + 1
        binary = _in_time(compiler, guess, seconds)
    if binary is None:
        return Compiled(CompileAnswer.UNDECIDED, Reason.TIMEOUT, attempts=result.attempts)
    names = [parameter.name for parameter in loaded.parameters]
    outcome = Compiled(
        CompileAnswer.COMPILES,
        signature={name: _text(guess.types[name]) for name in names if name in guess.types},
        constants={n: str(guess.constants[n]) for n in names if n in guess.constants},
        attempts=result.attempts,
        flips=flips,
        stages=tuple(binary.get("stages", ())),
        resources=binary.get("resources", {}),
        texts=binary.get("texts", {}),
    )
    if "error" in binary:
        # The frontend accepted the kernel, but the backend did not.
        return replace(
            outcome, answer=CompileAnswer.REJECTED, message=binary["error"].strip()[:500]
        )
    return outcome


def _smaller(compiler: Compiler, guess: Guess) -> Guess | None:
    """Return a guess that compiles faster and still passes the first stage, or None."""
    for smaller in (quarter(guess), no_larger(guess)):
        with suppress(TooSlow):
            if compiler.to_ttir(smaller, ATTEMPT_SECONDS) is None:
                return smaller
    return None


def _in_time(compiler: Compiler, guess: Guess, seconds: float) -> dict[str, Any] | None:
    """Return the output of a full compile, or its `error`, or None after a timeout.

    It runs in its own process, because native code stops only when its process ends.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        limit = math.ceil(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        # The child kills itself: a sealed process can't signal any other, not even its child.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE * seconds)
        try:
            output = compiler.to_binary(guess)
        except Exception as error:  # noqa: BLE001 - the backend may raise anything
            output = {"error": f"{type(error).__name__}: {error}"[:4000]}
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        if used.ru_utime + used.ru_stime < limit - 1:  # otherwise ptxas reached the limit
            with open(writing, "wb") as pipe:
                pipe.write(json.dumps(output).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with suppress(ValueError):
        return dict(json.loads(text))
    if status in (0, -signal.SIGKILL, -signal.SIGXCPU, -signal.SIGALRM):
        return None
    return {"error": f"the compiler died of signal {-status}"}


def _text(kind: Type) -> str:
    return f"({', '.join(map(_text, kind))})" if isinstance(kind, tuple) else kind


def _plain(done: Compiled) -> dict[str, Any]:
    return asdict(done)
