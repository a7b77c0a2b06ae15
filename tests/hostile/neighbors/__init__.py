"""Programs that run beside others in one sandbox: texts for `test_neighbors`."""
