"""`/metrics` for Prometheus: current values, the same from every process."""
