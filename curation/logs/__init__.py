"""What every process says as it goes: for people by default, one JSON object a line on request."""
