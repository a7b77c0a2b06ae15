"""Programs that take far more memory than they may, each in its own way. They keep what they took
for two seconds, then go on as if nothing had been. They take it slowly enough for a watch that a
busy machine keeps from looking for a second."""
