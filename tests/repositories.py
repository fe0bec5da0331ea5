"""Repositories as git makes them, without running git."""

from pathlib import Path


def new_repository(directory: Path) -> Path:
    """The directory, which is there afterwards, with a `.git` that git accepts."""
    git = directory / ".git"
    for name in ("objects", "refs"):
        (git / name).mkdir(parents=True, exist_ok=True)
    if not (git / "HEAD").exists():
        (git / "HEAD").write_text("ref: refs/heads/main\n")
    return directory
