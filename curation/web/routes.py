"""URLs of the review site."""

from django.urls import path, register_converter

from curation.web import api
from curation.web.access import KindConverter
from curation.web.views import (
    account,
    act,
    bulk,
    dashboard,
    drafts,
    edit,
    find,
    guide,
    guidelines,
    history,
    item,
    people,
    talk,
)
from curation.web.views import run_pages

register_converter(KindConverter, "kind")

urlpatterns = [
    path("", item.queue, name="queue"),
    path("claim", item.claim, name="claim"),
    path("undo", act.undo_last, name="undo"),
    path("kernels/<int:pk>/", item.item, {"kind": "kernels"}, name="kernel"),
    path("pairs/<int:pk>/", item.item, {"kind": "pairs"}, name="pair"),
    path("<kind:kind>/<int:pk>/<str:column>.py", item.text, name="text"),
    path("pairs/<int:pk>/edit", edit.edit_pair, name="edit-pair"),
    path("drafts/", drafts.drafts, name="drafts"),
    path("drafts/<int:pk>/", drafts.draft, name="draft"),
    path("<kind:kind>/<int:pk>/decision", act.decide_item, name="decide"),
    path("<kind:kind>/<int:pk>/skip", act.skip, name="skip"),
    path("<kind:kind>/<int:pk>/question", act.ask, name="ask"),
    path("<kind:kind>/<int:pk>/comment", talk.comment, name="comment"),
    path("comments/<int:pk>", talk.change_comment, name="change-comment"),
    path("notices", talk.notices, name="notices"),
    path("notices/read", talk.read_notices, name="read-notices"),
    path("<kind:kind>/<int:pk>/pin", act.pin_item, name="pin"),
    path("<kind:kind>/<int:pk>/cluster", bulk.cluster, name="decide-cluster"),
    path("find", find.find, name="find"),
    path("find/selected", find.selected, name="selected"),
    path("find/save", find.save_view, name="save-view"),
    path("bulk", bulk.bulk, name="bulk"),
    path("bulk/<int:pk>/finish", bulk.finish_bulk, name="finish-bulk"),
    path("bulk/<int:pk>/undo", bulk.undo_bulk, name="undo-bulk"),
    path("dashboard", dashboard.dashboard, name="dashboard"),
    path("runs/", run_pages.runs, name="runs"),
    path("runs/<str:kind>/<int:pk>/", run_pages.run, name="run"),
    path("runs/<str:kind>/<int:pk>/cancel", run_pages.cancel_run, name="cancel-run"),
    path("runs/<str:kind>/<int:pk>/retry", run_pages.retry_run, name="retry-run"),
    path("history", history.history, name="history"),
    path("history.csv", history.export, {"shape": "csv"}, name="history-csv"),
    path("history.jsonl", history.export, {"shape": "jsonl"}, name="history-jsonl"),
    path("account", account.account, name="account"),
    path("account/password", account.ChangePassword.as_view(), name="password"),
    path("account/token", account.token, name="token"),
    path("account/notices", account.choose_notices, name="choose-notices"),
    path("people", people.people, name="people"),
    path("people/invitations/<int:pk>/revoke", people.revoke_invitation, name="revoke-invitation"),
    path("join/<str:token>", people.join, name="join"),
    path("keys", account.keys, name="keys"),
    path("guide", guide.guide, name="guide"),
    path("guidelines/", guidelines.guidelines, name="guidelines"),
    path("guidelines/<str:operation>/", guidelines.guideline, name="guideline"),
    path("guidelines/<str:operation>/edit", guidelines.edit_guideline, name="edit-guideline"),
    path(
        "guidelines/<str:operation>/example", guidelines.guideline_example, name="guideline-example"
    ),
    path("api/v1/openapi.json", api.description, name="api-description"),
    path("api/v1/next", api.claim_next, name="api-next"),
    path("api/v1/<kind:kind>/", api.items, name="api-items"),
    path("api/v1/<kind:kind>/<int:pk>/", api.item, name="api-item"),
    path("api/v1/<kind:kind>/<int:pk>/decision", api.decision, name="api-decision"),
    path("api/v1/<kind:kind>/<int:pk>/claim", api.claim, name="api-claim"),
]
