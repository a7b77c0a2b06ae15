"""User of `up`: root can drop its privileges before any process is started."""

import os
import pwd
import stat
import sys
from pathlib import Path
from typing import NoReturn

from curation.errors import CurationError
from curation.operations import data_folder

AS_ROOT = (
    "Running as root: foreign programs are confined as user 65534, but git, the readers of "
    "source files and the web server run as root. Create a user and add --user NAME."
)


class UserUnusable(CurationError):
    """This command can't run as the named user."""


def become(name: str, folder: Path) -> None:
    """Return if this process runs as user `name`. Otherwise execute it again as that user.

    The data folder is given to the user first. Raise UserUnusable if this process is not root.
    """
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        raise UserUnusable(
            f"There is no user {name} on this machine. Create one, such as by "
            f"`useradd --system {name}`."
        ) from None
    if os.geteuid() == user.pw_uid:
        return
    if os.geteuid() != 0:
        raise UserUnusable(f"Only root can run as another user: leave out --user {name}.")
    data_folder.create(folder)
    _give(folder, user)
    os.initgroups(name, user.pw_gid)
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    _start_again(user)


def _give(folder: Path, user: pwd.struct_passwd) -> None:
    """Give the user the files that root owns in the folder.

    Attack: the user links a file such as /etc/shadow into the folder. Defense: symbolic links are
    not followed, and files with several hard links are skipped.
    """
    for _, _, names, place in os.fwalk(folder):
        for name in names:
            status = os.stat(name, dir_fd=place, follow_symlinks=False)
            if status.st_uid == 0 and (stat.S_ISLNK(status.st_mode) or status.st_nlink == 1):
                os.chown(name, user.pw_uid, user.pw_gid, dir_fd=place, follow_symlinks=False)
        os.fchown(place, user.pw_uid, user.pw_gid)


def _start_again(user: pwd.struct_passwd) -> NoReturn:
    """Execute the program again as `user`, so that no state of root's process remains."""
    for path, right in (
        (Path(sys.executable), os.X_OK),
        (data_folder.BASE_DIR / "manage.py", os.R_OK),
    ):
        if not os.access(path, right):
            raise UserUnusable(
                f"User {user.pw_name} can't read {path}: a folder on the way is closed to others. "
                "Install Python and the application where that user may read, such as in /opt."
            )
    own_environment = {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}
    arguments = [sys.executable, *sys.orig_argv[1:]]
    os.execve(sys.executable, arguments, {**os.environ, **own_environment})  # noqa: S606 - our own command
