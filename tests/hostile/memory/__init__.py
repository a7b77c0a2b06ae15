"""Programs that take far more memory than they may, each in its own way. They keep what they took
for two seconds, then go on as if nothing had been."""
