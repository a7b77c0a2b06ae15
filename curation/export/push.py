"""Upload of an exported folder to a dataset repository on the Hugging Face hub, as one commit."""

import os
from dataclasses import dataclass
from pathlib import Path

from curation.errors import CurationError

TOKEN = "HF_TOKEN"  # noqa: S105 - the name of a variable
# The file by which an earlier export is known, and the files of a new repository.
MANIFEST, EMPTY = "MANIFEST.json", {".gitattributes", "README.md"}


class CannotPush(CurationError):
    """The hub refuses the folder, or can't be reached."""


@dataclass(frozen=True, slots=True)
class Pushed:
    url: str
    changed: bool
    """False if the repository held the same files already."""


def push(folder: Path, repository: str, *, message: str, private: bool = False) -> Pushed:
    """Make the repository OWNER/NAME hold exactly the files of `folder`.

    The token comes from HF_TOKEN. The client takes another hub from HF_ENDPOINT.
    """
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError
    except ImportError:
        raise CannotPush("Pushing needs huggingface_hub: pip install huggingface_hub.") from None
    token = os.environ.get(TOKEN, "")
    if not token:
        raise CannotPush(f"Set {TOKEN} to a token of the hub that may write to {repository}.")
    if repository.count("/") != 1:
        raise CannotPush(f"{repository!r} is no repository: write OWNER/NAME.")
    # The client has read the variable when it was imported, which may be long ago.
    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, token=token)
    try:
        api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
        before = api.repo_info(repository, repo_type="dataset").sha
        files = set(api.list_repo_files(repository, repo_type="dataset"))
        if files - EMPTY and MANIFEST not in files:
            raise CannotPush(
                f"{repository} holds files that are no export, and a push would replace them. "
                "Name another repository, or empty it first."
            )
        commit = api.upload_folder(
            repo_id=repository, folder_path=folder, repo_type="dataset", commit_message=message,
            # Files of an earlier export would be read as records of this one.
            delete_patterns="*",
        )  # fmt: skip
    except HFValidationError as error:
        raise CannotPush(f"{repository!r} is no repository: {error}") from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        words = {
            401: "does not know the token", 403: "does not let this token write",
            404: "has no such repository",
        }.get(status, f"answers with {status}")  # fmt: skip
        raise CannotPush(f"The hub {words}: {repository}. {error.server_message or ''}") from None
    except Exception as error:
        # The client's own transport errors have no common base outside of its HTTP library.
        if isinstance(error, OSError) or type(error).__module__.startswith(("httpx", "httpcore")):
            raise CannotPush(f"The hub can't be reached: {error}") from None
        raise
    return Pushed(str(commit.repo_url), commit.oid != before)
