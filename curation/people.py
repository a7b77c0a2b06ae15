"""The groups of accounts and their permissions, as plain data.

Migrations create the groups, so a change here needs a new migration. A test compares them.
"""

REVIEWERS = "reviewers"
CURATORS = "curators"
# Group that marks an account as a program's. Another group grants the account its permissions.
PROGRAMS = "programs"

# Name of the role of each group, and a sentence on what it may do.
ROLES = {
    REVIEWERS: ("reviewer", "Approves and rejects items."),
    CURATORS: ("curator", "Reviews, queues ingests, edits pairs, settles disputes, exports "
               "datasets, manages people and uses the admin."),
    PROGRAMS: ("program", "Marks the account of a program; figures of reviewers leave it out."),
}  # fmt: skip

# Permissions of reviewers. They do not use the admin.
REVIEW = (
    "add_decision", "view_decision", "add_claim", "view_kernel", "view_pair", "add_triedcase",
    "add_linecomment",
)  # fmt: skip

_VIEWED = (
    "band", "bulkdecision", "claim", "contaminationmatch", "copyflag",
    "correction", "decision", "decisionreason", "draft", "drop", "duplicatelink", "exportrun",
    "figures", "fingerprint", "ingestrun", "kernel", "lease", "license", "licenseevidence",
    "licensereading", "linecomment", "loginfailure", "notice", "optout", "pair", "passrate",
    "provenance", "qualityfinding",
    "question", "release", "releasefile", "releasemember", "repairtrace", "repository",
    "secondreview", "skip",
    "sourcefile", "sourcetext", "splitassignment", "triedcase", "validationcheck",
    "validationresult", "validationrun", "withdrawal",
)  # fmt: skip

CURATE = (
    *REVIEW,
    *(f"view_{model}" for model in _VIEWED if f"view_{model}" not in REVIEW),
    "add_repository",
    "change_repository",
    "add_ingestrun",
    "add_validationrun",
    "add_release",
    "add_exportrun",
    "change_license",
    "add_optout",
    "change_optout",
    "add_decisionreason",
    "change_decisionreason",
    "add_pair",
    "change_draft",
    "add_bulkdecision",
    "change_secondreview",
    "add_guideline",
    "steer_queue",
)

# Permissions of Django's applications, with which curators manage accounts.
PEOPLE = ("view_user", "add_user", "change_user", "view_group")

# Permissions of each group that has permissions, with their applications.
GRANTED = {
    REVIEWERS: tuple(f"curation.{name}" for name in REVIEW),
    CURATORS: (
        *(f"curation.{name}" for name in CURATE),
        *(f"auth.{name}" for name in PEOPLE),
    ),
}
