"""Who may do what: the two groups and their permissions, as plain data.

The groups of an installation are made by migrations. A change here needs a new migration; a test
holds the two together.
"""

REVIEWERS = "reviewers"
CURATORS = "curators"

# What a reviewer does in the browser; the admin is not for reviewers.
REVIEW = ("add_decision", "view_decision", "add_claim", "view_kernel", "view_pair")

_VIEWED = (
    "band", "bulkdecision", "claim", "compiledgraph", "contaminationmatch", "copyflag",
    "correction", "decision", "decisionreason", "draft", "drop", "duplicatelink", "exportrun",
    "figures", "fingerprint", "ingestrun", "kernel", "lease", "license", "licenseevidence",
    "licensereading", "loginfailure", "optout", "pair", "provenance", "qualityfinding",
    "question", "release", "releasefile", "releasemember", "repository", "secondreview", "skip",
    "sourcefile", "sourcetext", "splitassignment", "validationcheck", "validationresult",
    "validationrun", "withdrawal",
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
    "steer_queue",
)

# From Django's own applications: curators manage people.
PEOPLE = ("view_user", "add_user", "change_user", "view_group")

# From django-rq: its page of queues, jobs and workers.
QUEUE_PAGE = ("admin",)

# The permissions of each group, with the application that each belongs to.
GRANTED = {
    REVIEWERS: tuple(f"curation.{name}" for name in REVIEW),
    CURATORS: (
        *(f"curation.{name}" for name in CURATE),
        *(f"auth.{name}" for name in PEOPLE),
        *(f"django_rq.{name}" for name in QUEUE_PAGE),
    ),
}
