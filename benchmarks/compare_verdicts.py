"""Whether two checkouts say the same about every request of some files, byte by byte.

    python -m benchmarks.compare_verdicts OLD NEW FILE…

OLD and NEW are directories with the project. A FILE has a script a line, or is JSONL of objects
with `command`, `text` or `argv`. The exit code is 1 if a verdict differs.
"""

import difflib
import sys
import tempfile
from collections.abc import Sequence

from benchmarks.checkouts import Checkout, requests

SHOWN = 20
"""Differences that are printed whole."""


def differences(old: Checkout, new: Checkout, files: Sequence[str], cwd: str) -> tuple[int, int]:
    """How many of the requests get another verdict, and how many there are."""
    asked = requests(files, cwd)
    one, other = old.engine(cwd), new.engine(cwd)
    differ = 0
    # The name of one directory may begin like that of the other.
    directories = sorted((str(old.directory), str(new.directory)), key=len, reverse=True)

    def same(verdict: str) -> str:
        for directory in directories:
            verdict = verdict.replace(directory, "…")
        return verdict

    for request in asked:
        before, after = same(one.ask(request).verdict), same(other.ask(request).verdict)
        if before != after:
            differ += 1
            if differ <= SHOWN:
                _show(request, before, after)
    one.close()
    other.close()
    return differ, len(asked)


def _show(request: dict[str, str], before: str, after: str) -> None:
    print(request.get("text") or request.get("argv"))
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    print("\n".join(f"    {line}" for line in lines if not line.startswith(("---", "+++", "@@"))))


def main() -> int:
    """Compare, print what differs, and give the exit code."""
    if len(sys.argv) < 4:
        print(__doc__)
        return 64
    with tempfile.TemporaryDirectory() as cwd:
        old, new = Checkout(sys.argv[1]), Checkout(sys.argv[2])
        differ, asked = differences(old, new, sys.argv[3:], cwd)
    print(f"{differ} of {asked} verdicts differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
