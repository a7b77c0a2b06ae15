"""Reading and editing of Python text by its syntax tree. Imports no other code of the project."""
