"""Keep pytest out of the pairs, whose tests run in a folder of their own."""

collect_ignore = ["honest", "faulty"]
