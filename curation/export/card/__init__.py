"""The dataset card: header, tables and pictures of README.md."""
