"""Upload of an exported folder to a dataset repository on the Hugging Face hub, as one commit."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings

from curation.errors import CurationError
from curation.export.folder import MANIFEST, listed_paths

# File that the Hub itself creates in each repository.
OF_THE_HUB = ".gitattributes"
_REPOSITORY = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)


class CannotPush(CurationError):
    """An error because the Hub refuses the folder or can't be reached."""


@dataclass(frozen=True, slots=True)
class Pushed:
    url: str
    changed: bool
    """False if the repository already contained the same files."""


def obstacle() -> str:
    """Return the reason why this process can't push to any repository, or ""."""
    if find_spec("huggingface_hub") is None:
        return "Pushing needs the package huggingface_hub: pip install huggingface_hub."
    if not settings.HF_TOKEN:
        return "Pushing needs HF_TOKEN: set it to a token of the hub that may write datasets."
    return ""


def check_push(repository: str) -> None:
    """Raise CannotPush, before any work, if this process could not push to OWNER/NAME."""
    if reason := obstacle():
        raise CannotPush(reason)
    if not _REPOSITORY.fullmatch(repository):
        raise CannotPush(f"{repository!r} is not a repository: write OWNER/NAME.")


def push(
    folder: Path,
    repository: str,
    *,
    message: str,
    private: bool = False,
    replace: bool = False,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Pushed:
    """Make the repository OWNER/NAME hold exactly the files of `folder`.

    private: make a new repository private. An existing repository keeps its visibility.
    replace: also delete files that no export wrote. If False, a repository with such files is
    refused, because its name may be mistyped.
    """
    check_push(repository)
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    with _errors_of_hub(repository):
        api = HfApi(endpoint=settings.HF_ENDPOINT or None, token=settings.HF_TOKEN)
        api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
        before = api.repo_info(repository, repo_type="dataset").sha
        present = set(api.list_repo_files(repository, repo_type="dataset", revision=before))
        if not replace:
            _refuse_others_files(api, repository, before, present)
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        added = [CommitOperationAdd(path.relative_to(folder).as_posix(), path) for path in paths]
        for number, file in enumerate(added):
            progress("files uploaded", number, len(added))
            # The commit skips files that are uploaded already, and all files that have not changed.
            api.preupload_lfs_files(repository, [file], repo_type="dataset", free_memory=False)
        progress("files uploaded", len(added), len(added))
        # Files that remained from an earlier export would be read as records of this one.
        gone = present - {file.path_in_repo for file in added} - {OF_THE_HUB}
        # `upload_folder` makes several commits. An interruption would leave a mixed dataset.
        commit = api.create_commit(
            repository, [*added, *(CommitOperationDelete(path) for path in sorted(gone))],
            repo_type="dataset", commit_message=message, parent_commit=before,
        )  # fmt: skip
        return Pushed(str(commit.repo_url), commit.oid != before)


@contextmanager
def _errors_of_hub(repository: str) -> Iterator[None]:
    """Raise CannotPush with a sentence for each error of the hub's client."""
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        yield
    except HFValidationError as error:
        raise CannotPush(f"{repository!r} is not a repository: {error}") from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        reason = {
            401: "does not know the token", 403: "does not let this token write",
            404: "has no such repository", 412: "has got another commit meanwhile, push again",
        }.get(status, f"answers with {status}")  # fmt: skip
        raise CannotPush(f"The hub {reason}: {repository}. {error.server_message or ''}") from None
    except Exception as error:
        # The client's transport errors have no common base class except in its HTTP library.
        if isinstance(error, OSError) or type(error).__module__.startswith(("httpx", "httpcore")):
            raise CannotPush(f"The hub can't be reached: {error}") from None
        raise


def _refuse_others_files(
    api: Any, repository: str, revision: str | None, present: set[str]
) -> None:
    """Raise CannotPush if the repository holds files that its manifest does not list."""
    listed = {OF_THE_HUB}
    if MANIFEST in present:
        with tempfile.TemporaryDirectory() as folder:
            read = api.hf_hub_download(
                repository, MANIFEST, repo_type="dataset", revision=revision, local_dir=folder
            )
            # A manifest of another program may have another form.
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                listed |= listed_paths(json.loads(Path(read).read_bytes())) | {MANIFEST}
    if others := sorted(present - listed):
        named = ", ".join(others[:3]) + (f" and {len(others) - 3:,} more" if others[3:] else "")
        raise CannotPush(
            f"{repository} holds files that no export wrote, and a push would delete them: "
            f"{named}. Check the name, or confirm the deletion by “Replace all files” "
            "(at the shell: --replace)."
        )
