"""The entries bring tests of their own, which run in a folder of their own and not from here."""

collect_ignore = ["honest", "programs"]
