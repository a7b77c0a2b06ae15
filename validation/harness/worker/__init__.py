"""Code that runs in the sandbox, next to untrusted code. It decides no verdict."""
