"""Typical mistakes, planted into passed pairs and stored if the harness rejects them.

`kinds` lists the mistakes, `plant` chooses pairs and checks, `store` writes the rows.
"""
