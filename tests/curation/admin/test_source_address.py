"""Which addresses a web form takes for a source."""

import pytest

from curation.admin.source_address import AddressRefused, source_address


@pytest.mark.parametrize(
    ("typed", "name", "url"),
    [
        ("owner/name", "owner/name", "https://github.com/owner/name"),
        ("  owner/na.me_1\n", "owner/na.me_1", "https://github.com/owner/na.me_1"),
        ("https://github.com/owner/name", "owner/name", "https://github.com/owner/name"),
        ("https://github.com/owner/name/", "owner/name", "https://github.com/owner/name"),
        ("https://github.com/owner/name.git", "owner/name", "https://github.com/owner/name"),
        ("HTTPS://WWW.GitHub.com/owner/Name", "owner/Name", "https://github.com/owner/Name"),
        (
            "https://gitlab.com/group/sub/name.git",
            "gitlab.com/group/sub/name",
            "https://gitlab.com/group/sub/name.git",
        ),
        (
            "https://git.example.org:8443/~me/name",
            "git.example.org:8443/~me/name",
            "https://git.example.org:8443/~me/name",
        ),
        ("https://example.org:443/a/b", "example.org/a/b", "https://example.org/a/b"),
    ],
)
def test_an_address_has_one_spelling(typed: str, name: str, url: str) -> None:
    address = source_address(typed)

    assert (address.name, address.url) == (name, url)
    assert source_address(address.url) == address


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "name",
        "/etc/secret",
        "./owner/name",
        "../secret",
        "~/secret",
        "~secret/name",
        "C:\\secret\\name",
        "owner/..",
        "owner/name/secret",
        "-secret/name",
        "--upload-pack=touch secret",
        "--upload-pack=secret/name",
        "ext::sh -c secret%",
        "ext::secret",
        "file:///secret",
        "file://host/secret",
        "git://github.com/owner/secret",
        "ssh://git@github.com/owner/secret",
        "git@github.com:owner/secret.git",
        "github.com/owner/secret",
        "//github.com/owner/secret",
        "http://github.com/owner/secret",
        "https:github.com/owner/secret",
        "https:///owner/secret",
        "https://secret@github.com/owner/name",
        "https://user:secret@github.com/owner/name",
        "https://@github.com/owner/secret",
        "https://github.com@secret.example.org/owner/name",
        "https://github.com/owner/name?token=secret",
        "https://github.com/owner/name#secret",
        "https://github.com/owner/name/tree/secret",
        "https://github.com/secret",
        "https://github.com/owner/../secret",
        "https://github.com/owner//secret",
        "https://github.com/owner/-secret",
        "https://github.com/owner/%2e%2e/secret",
        "https://github.com/owner/na me/secret",
        "https://github.com/owner/name\nsecret",
        "https://github.com/owner/name\x00secret",
        "https://gith\u00fcb.com/owner/secret",
        "https://localhost/owner/secret",
        "https://127.0.0.1/owner/secret",
        "https://[::1]/owner/secret",
        "https://[secret/owner/name",
        "https://0x7f.1/owner/secret",
        "https://169.254.169.254/secret",
        "https://github.com:secret/owner/name",
        "https://github.com:99999/owner/secret",
        "https://-secret.org/owner/name",
    ],
)
def test_what_is_no_plain_https_address_is_refused_without_being_repeated(typed: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        source_address(typed)

    said = str(refused.value)
    assert said.endswith(".")
    assert "secret" not in said
