"""Calls that use a key of the user, most of which are asked about, for a day of their own.

Of a publication the packed file is named and left, which it is not without.
"""

from tests.wrap.days.same import Row

CALLS = """
git checkout -q -b feature/y
echo x > new.txt && git add -A && git commit -qm new
git push -u origin feature/y
git tag v1.0.1 && git push --tags
gh pr create -t x -b y
gh pr view 4
mkdir -p node_modules && npm publish && rm -r node_modules
git fetch origin
"""
TOKEN = "token-of-the-user"  # noqa: S105


def rows() -> list[Row]:
    """All calls in their order."""
    lines = enumerate(CALLS.strip().splitlines(), 1)
    return [{"id": f"key-{n}", "kind": "shell", "command": line} for n, line in lines]
