"""Start untrusted programs, as confined as this host allows.

This package imports only the standard library, because judge and compile check depend on it.
"""

from validation.harness.sandbox.confinement import Confinement, Level, RunLimits, SandboxUnavailable
from validation.harness.sandbox.hostile_json import UnreadableJson, read_json, readable
from validation.harness.sandbox.launch import Probe, best, kill, memory_bound, probe, start
from validation.harness.sandbox.memory import half_of_memory
from validation.harness.sandbox.python import python_readable
