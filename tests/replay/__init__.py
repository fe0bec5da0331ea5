"""Rows of recorded or derived answers, given to the public functions and compared.

`python -m tests.replay KIND FILE`: KIND is a module of this package. It has one function,
`problems(rows)`, which yields for each row that counts its id and what is wrong, or None.
"""
