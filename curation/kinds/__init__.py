"""Read kernels and pairs: calls, data flow, difficulty, the operations of a python side."""
