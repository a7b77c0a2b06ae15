"""Reading and editing Python text by its syntax tree. Imports nothing else of the project."""
