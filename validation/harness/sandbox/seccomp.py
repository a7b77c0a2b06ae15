"""System call filters, as BPF programs for the kernel.

Each is a denylist: CUDA and Python use hundreds of system calls, and more with each release. Calls
newer than the list are denied as well.
"""

import errno
import struct
from collections.abc import Iterable

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# System call numbers on x86_64 and on aarch64, by name.
ONLY_X86 = -1
DENIED = {
    # access to other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "move_pages": (279, 239), "perf_event_open": (298, 241),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "fanotify_init": (300, 262),
    # the kernel itself
    "bpf": (321, 280), "userfaultfd": (323, 282), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "syslog": (103, 116), "acct": (163, 89), "swapon": (167, 224),
    "swapoff": (168, 225), "reboot": (169, 142), "sethostname": (170, 161),
    "setdomainname": (171, 162), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "adjtimex": (159, 171), "personality": (135, 92),
    "vhangup": (153, 58), "lookup_dcookie": (212, 18), "nfsservctl": (180, 42),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "iopl": (172, ONLY_X86), "ioperm": (173, ONLY_X86), "modify_ldt": (154, ONLY_X86),
    "uselib": (134, ONLY_X86),
    # memory that belongs to no process, so that killing a process does not free it
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
}  # fmt: skip
CLONE = (56, 220)
CLONE3 = (435, 435)
IOCTL = (16, 29)
SOCKET = (41, 198)
SOCKETPAIR = (53, 199)
# Largest known number of a call. The x32 calls of x86_64 have much larger numbers.
NEWEST = 469

# Calls that leave the process group, or reach other programs of the same sandbox.
DENIED_TO_NEIGHBORS = {
    "setsid": (112, 157), "setpgid": (109, 154), "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "setpriority": (141, 140), "ioprio_set": (251, 30),
    # This call reports file names in other programs' folders; Landlock does not prevent that.
    "inotify_add_watch": (254, 27),
}  # fmt: skip
# Allowed only if the first argument is the calling process.
ON_ITSELF = {
    "kill": (62, 129), "tgkill": (234, 131), "prlimit64": (302, 261),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
}  # fmt: skip
FORKS = {"fork": (57, ONLY_X86), "vfork": (58, ONLY_X86)}

NEW_NAMESPACES = 0x7E020000
CLONE_THREAD = 0x10000
AF_UNIX = 1
TIOCSTI, TIOCLINUX = 0x5412, 0x541C

Step = tuple[int, int, int, int]
"""One BPF instruction: its code, the steps to skip if its test is true or false, and its value."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = 0, 4, 16, 24
_ALLOW, _KILL = (_RETURN, 0, 0, 0x7FFF0000), (_RETURN, 0, 0, 0x80000000)
_DENY, _ABSENT = ((_RETURN, 0, 0, 0x00050000 | error) for error in (errno.EPERM, errno.ENOSYS))


def sandbox_filter(machine: str, *, unix_sockets: bool) -> bytes:
    """Return the filter of a sandbox, for a machine as `platform.machine()` names it.

    unix_sockets: whether to allow UNIX sockets, or only pairs of them.
    Attack: a program connects to the host's sockets, which are files.
    Defense: it can create only socket pairs.

    Raise KeyError for an unknown machine.
    """
    column = _column(machine)
    if_unix = _by_argument(_FIRST_ARGUMENT_AT, _EQUAL, [AF_UNIX], _ALLOW, _DENY)
    by_flags = _by_argument(_FIRST_ARGUMENT_AT, _ANY_BIT, [NEW_NAMESPACES], _DENY, _ALLOW)
    by_request = _by_argument(_SECOND_ARGUMENT_AT, _EQUAL, [TIOCSTI, TIOCLINUX], _DENY, _ALLOW)
    return _assemble(machine, [
        *_if(_AT_LEAST, [NEWEST + 1], _ABSENT),
        *_if(_EQUAL, _numbers(DENIED, column), _DENY),
        # clone3's flags are in memory, which a filter can't read. libc falls back to clone.
        *_if(_EQUAL, [CLONE3[column]], _ABSENT),
        *_if(_EQUAL, [CLONE[column]], *by_flags),
        *_if(_EQUAL, [IOCTL[column]], *by_request),
        *_if(_EQUAL, [SOCKET[column]], *(if_unix if unix_sockets else [_DENY])),
        *_if(_EQUAL, [SOCKETPAIR[column]], *if_unix),
    ])  # fmt: skip


def neighbor_filter(machine: str, pid: int, *, programs: bool) -> bytes:
    """Return the filter of one program that shares its sandbox with others.

    pid: the process to filter.
    programs: whether it may start other processes.

    Raise KeyError for an unknown machine.
    """
    column = _column(machine)
    if_itself = _by_argument(_FIRST_ARGUMENT_AT, _EQUAL, [0, pid], _ALLOW, _DENY)
    steps = _if(_EQUAL, _numbers(DENIED_TO_NEIGHBORS, column), _DENY)
    steps += _if(_EQUAL, _numbers(ON_ITSELF, column), *if_itself)
    if not programs:
        by_flags = _by_argument(_FIRST_ARGUMENT_AT, _ANY_BIT, [CLONE_THREAD], _ALLOW, _DENY)
        steps += _if(_EQUAL, _numbers(FORKS, column), _DENY)
        steps += _if(_EQUAL, [CLONE3[column]], _ABSENT)
        steps += _if(_EQUAL, [CLONE[column]], *by_flags)
    return _assemble(machine, steps)


def _column(machine: str) -> int:
    return {"x86_64": 0, "aarch64": 1}[machine]


def _numbers(calls: dict[str, tuple[int, int]], column: int) -> list[int]:
    return [numbers[column] for numbers in calls.values() if numbers[column] != ONLY_X86]


def _if(test: int, values: Iterable[int], *then: Step) -> list[Step]:
    """Return steps that run `then` if the loaded number passes the test with one of the values."""
    return [step for value in values for step in ((test, 0, len(then), value), *then)]


def _by_argument(
    at: int, test: int, values: Iterable[int], then: Step, otherwise: Step
) -> list[Step]:
    """Return steps that load an argument, and end with `then` if it passes, else `otherwise`."""
    return [(_LOAD, 0, 0, at), *_if(test, values, then), otherwise]


def _assemble(machine: str, steps: Iterable[Step]) -> bytes:
    """Return a BPF program that checks the architecture, then the call, which it allows at last."""
    by_architecture = [(_LOAD, 0, 0, _ARCH_AT), (_EQUAL, 1, 0, AUDIT_ARCH[machine]), _KILL]
    program = [*by_architecture, (_LOAD, 0, 0, _NUMBER_AT), *steps, _ALLOW]
    return b"".join(struct.pack("=HBBI", *step) for step in program)
