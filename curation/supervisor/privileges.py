"""The user that `up` runs as: root can give its rights away before anything is started."""

import os
import pwd
import stat
import sys
from pathlib import Path
from typing import NoReturn

from curation.errors import CurationError
from curation.installation import data_folder

AS_ROOT = (
    "Running as root: programs of others are confined as user 65534, but git, the readers of "
    "source files and the web server run as root. Create a user and add --user NAME."
)


class UserUnusable(CurationError):
    """This command can't run as the named user."""


def become(name: str, folder: Path) -> None:
    """Return if this process runs as user `name`; else start it again as that user.

    The data folder `folder` is given to the user first. Raises where this process is not root.
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
    """Give the user what root owns in the folder.

    Links are not followed, and a file with several names is passed over: its other name may be
    one that the user chose, such as /etc/shadow.
    """
    for _, _, names, place in os.fwalk(folder):
        for name in names:
            found = os.stat(name, dir_fd=place, follow_symlinks=False)
            if found.st_uid == 0 and (stat.S_ISLNK(found.st_mode) or found.st_nlink == 1):
                os.chown(name, user.pw_uid, user.pw_gid, dir_fd=place, follow_symlinks=False)
        os.fchown(place, user.pw_uid, user.pw_gid)


def _start_again(user: pwd.struct_passwd) -> NoReturn:
    """Execute the program again as `user`, so that no state of root's process is left."""
    for path, right in (
        (Path(sys.executable), os.X_OK),
        (data_folder.BASE_DIR / "manage.py", os.R_OK),
    ):
        if not os.access(path, right):
            raise UserUnusable(
                f"User {user.pw_name} can't read {path}: a folder on the way is closed to others. "
                "Install Python and the application where that user may read, such as in /opt."
            )
    mine = {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}
    arguments = [sys.executable, *sys.orig_argv[1:]]
    os.execve(sys.executable, arguments, {**os.environ, **mine})  # noqa: S606 - our own command
