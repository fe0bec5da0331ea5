"""A process that exchanges directories and files for links to elsewhere, as fast as it can.

`python -m tests.places.exchanger INSIDE OUTSIDE`: `INSIDE/d` and `INSIDE/f` are in turn what they
are and links to `OUTSIDE/d` and `OUTSIDE/f`, until stdin is closed. Prints how often at the end.
"""

import os
import select
import shutil
import sys
from contextlib import suppress


def exchange(inside: str, outside: str) -> None:
    """One turn: a link for the directory and the file, and back.

    The one who writes may make the directory anew in between; what is in the way is removed.
    """
    directory, file = f"{inside}/d", f"{inside}/f"
    for name in ("d", "f"):
        with suppress(FileExistsError):
            os.symlink(f"{outside}/{name}", f"{inside}/{name}.link")
    os.rename(directory, f"{directory}.real")
    with suppress(OSError):
        os.rename(f"{directory}.link", directory)
    os.replace(f"{file}.link", file)
    if os.path.islink(directory):
        os.unlink(directory)
    for _ in range(1000):
        try:
            os.rename(f"{directory}.real", directory)
            break
        except OSError:
            shutil.rmtree(directory, ignore_errors=True)
    with open(f"{file}.new", "w") as new:
        new.write("")
    os.replace(f"{file}.new", file)


if __name__ == "__main__":
    print("ready", flush=True)
    turns = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(20):
            exchange(sys.argv[1], sys.argv[2])
            turns += 1
    print(turns)
