"""Sandboxed workers that answer questions, each in a child that ends with it.

Here one asks (`Workers`); what answers is a module of its own that calls `forking.serve`.
"""

from validation.workers.asking import Said, Workers, WorkerUnavailable

__all__ = ["Said", "WorkerUnavailable", "Workers"]
