"""Starts programs that nobody trusts, as confined as this host allows.

Standard library only, nothing else of the project: the judge and the compile check build on it.
"""

from validation.sandbox.confinement import Confinement, Level, Limits, SandboxUnavailable
from validation.sandbox.memory import ended_for_memory, half_of_memory
from validation.sandbox.probing import Probe, memory_bound, probe
from validation.sandbox.readable import python_readable
from validation.sandbox.reading import UnreadableJson, read_json, readable
from validation.sandbox.starting import best, start
from validation.sandbox.tree import kill

__all__ = [
    "Confinement",
    "Level",
    "Limits",
    "Probe",
    "SandboxUnavailable",
    "UnreadableJson",
    "best",
    "ended_for_memory",
    "half_of_memory",
    "kill",
    "memory_bound",
    "probe",
    "python_readable",
    "read_json",
    "readable",
    "start",
]
