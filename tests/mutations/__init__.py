"""Small changes of the package that its tests must notice: `python -m tests.mutations`.

`rows.txt` lists them. They were drawn once by `operators` and `drawing`, and are frozen, so that
every run tries the same ones. `equivalent.txt` has those that change no behaviour, with the reason.
"""
