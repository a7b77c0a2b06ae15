"""`manage.py add_reviewer`: print a one-time link that opens an account."""

import os
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.operations import address
from curation.people import CURATORS, REVIEWERS
from curation.web.security.invitations import InvitationForm, invite, link


class Command(BaseCommand):
    help = (
        "Invite a person. Prints a link that works once, within 7 days: its page asks for a "
        "password and opens the account. Inviting a name again revokes its earlier link."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py add_reviewer ada --email ada@example.org"
        parser.add_argument("name", help="the name to log in with")
        parser.add_argument(
            "--curator",
            action="store_true",
            help="make the person a curator, who also ingests, exports and invites people",
        )
        parser.add_argument(
            "--email",
            default="",
            help="shown to colleagues; no mail is sent (default: none)",
        )

    def handle(self, *, name: str, curator: bool, email: str, **given: Any) -> None:
        group = Group.objects.get(name=CURATORS if curator else REVIEWERS)
        form = InvitationForm({"username": name, "group": group.pk, "email": email})
        if not form.is_valid():
            raise CommandError(
                " ".join(f"{field}: {e}" for field, errors in form.errors.items() for e in errors)
            )
        invite(form.instance, invited_by=None)
        site = _address()
        self.stdout.write(f"{site}{link(form.instance)}")
        self.stderr.write(
            f"Send this link to {form.instance}. It works once and expires on "
            f"{form.instance.expires_at:%Y-%m-%d %H:%M} UTC. {site}/people revokes it. "
            f"Where the site has another address than {site}, replace that part."
        )


def _address() -> str:
    """Return the site's URL: that of the proxy in the settings, or the default of `up`."""
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        if "*" not in origin:
            return str(origin).rstrip("/")
    return address.read(os.environ.get("HOST", "127.0.0.1"), os.environ.get("PORT") or "8000").url
