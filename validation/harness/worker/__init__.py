"""Code that runs in the sandbox, beside untrusted code. It decides no verdict."""
