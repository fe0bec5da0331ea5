"""A process that exchanges directories and files for links to elsewhere, as fast as it can.

`python -m tests.places.exchanger INSIDE OUTSIDE`: `INSIDE/d` and `INSIDE/f` are in turn what they
are and links to `OUTSIDE/d` and `OUTSIDE/f`, until the parent's end of stdin is closed.
"""

import os
import select
import sys


def exchange(inside: str, outside: str) -> None:
    """One turn: a link for the directory and the file, and back."""
    directory, file = f"{inside}/d", f"{inside}/f"
    os.symlink(f"{outside}/f", f"{file}.link")
    os.symlink(f"{outside}/d", f"{directory}.link")
    os.rename(directory, f"{directory}.real")
    os.rename(f"{directory}.link", directory)
    os.replace(f"{file}.link", file)
    os.unlink(directory)
    os.rename(f"{directory}.real", directory)
    with open(f"{file}.new", "w") as new:
        new.write("")
    os.replace(f"{file}.new", file)


if __name__ == "__main__":
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(20):
            exchange(sys.argv[1], sys.argv[2])
