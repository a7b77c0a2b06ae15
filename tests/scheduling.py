"""Files of tests that begin first, and that need no database."""

from pathlib import Path

TESTS = Path(__file__).parent
# Files of tens of seconds begin first: one that began last would be waited for by idle workers.
LONGEST = tuple(
    TESTS / file
    for file in (
        "hostile/test_zoo.py", "curation/operations/test_up.py", "browser/test_review.py",
        "validation/pairs/inductor/whole/test_splitting.py", "hostile/test_licenses.py",
        "validation/pairs/test_library.py",
        "browser/test_walking_skeleton.py", "ingest/confined/test_detector.py",
        "validation/pairs/inductor/test_generation.py", "hostile/test_garbage_requests.py",
        "curation/operations/test_upgrade.py", "curation/evidence/test_near_duplicates.py",
        "validation/pairs/recipes/test_recipes.py",
    )
)  # fmt: skip
# Folders and files whose tests touch no database. The part of the database does not import them.
WITHOUT_ROWS = tuple(
    TESTS / folder
    for folder in (
        "curation/kinds", "curation/similarity", "hostile/pairs", "hostile/zoo",
        "hostile/test_cancelled.py", "hostile/test_fuzzed_answers.py", "hostile/test_git_bombs.py",
        "hostile/test_git_hosts.py", "hostile/test_git_interruptions.py",
        "hostile/test_git_sources.py", "hostile/test_git_trees.py", "hostile/test_licenses.py",
        "hostile/test_memory.py", "hostile/test_neighbors.py", "hostile/test_pairs.py",
        "hostile/test_sandbox_escapes.py", "hostile/test_standard_library.py",
        "hostile/test_timing.py", "hostile/test_zoo.py", "hostile/test_zoo_is_fair.py",
        "ingest/classify", "ingest/confined", "ingest/drafting", "ingest/extract", "ingest/git",
        "ingest/github", "ingest/licenses", "ingest/quality",
        "test_architecture.py", "test_documents.py", "test_language.py", "test_locks.py",
        "validation/compile", "validation/harness", "validation/pairs/inductor",
        "validation/pairs/recipes", "validation/pairs/test_near_duplicates.py",
        "validation/rewards",
    )
)  # fmt: skip
