"""Sandboxed workers that answer questions, each in a child process of its own.

`Workers` asks; a module that calls `forking.serve` answers.
"""

from validation.harness.questions.asking import Reply, Workers, WorkerUnavailable

__all__ = ["Reply", "WorkerUnavailable", "Workers"]
