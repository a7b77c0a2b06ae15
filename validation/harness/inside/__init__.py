"""What runs in the sandbox, beside code that nobody trusts. Nothing here decides a verdict."""
