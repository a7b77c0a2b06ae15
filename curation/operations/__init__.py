"""Operation of an installation: data folder, processes, logs, metrics and health."""
