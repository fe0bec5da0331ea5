"""Random trees of directories, files and links, and what the kernel makes of paths in them.

`python -m tests.places.trees SEED COUNT` does the same with bind mounts, in a user namespace where
the one who calls may make them; it prints how many paths it compared.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from execpolicy.places.disk import Disk

NAMES = ("a", "b", "A", "é", "e\u0301", "x ", "x.", "back\\slash", "..x", "\udcff", "link", "new")
STEPS = (*NAMES, "a", "b", "link", "link", "..", "..", ".", "")
BREAKS = ("a" * 256, "é" * 128)


def plant(root: Path, rng: random.Random) -> None:
    """Directories, files and links to anything: loops, chains, links to nothing and to `/`."""
    directories = [root]
    for _ in range(rng.randrange(3, 16)):
        at = rng.choice(directories) / rng.choice(NAMES)
        if os.path.lexists(at):
            continue
        kind = rng.random()
        if kind < 0.4:
            at.mkdir()
            directories.append(at)
        elif kind < 0.55:
            at.write_text("")
        else:
            os.symlink(_target(root, rng), at)


def _target(root: Path, rng: random.Random) -> str:
    names = "/".join(rng.choice(STEPS) for _ in range(rng.randrange(1, 5))) or "."
    whole = rng.random()
    if whole < 0.3:
        return f"{root}/{names}"
    return "/" if whole < 0.34 else names


def path_in(root: Path, rng: random.Random) -> str:
    """A path below the root, or one that climbs out of it."""
    known = sorted(os.listdir(root))
    names = [rng.choice(known or STEPS), *(rng.choice(STEPS) for _ in range(rng.randrange(5)))]
    if rng.random() < 0.02:
        names.append(rng.choice(BREAKS))
    return f"{root}/" + "/".join(names)


def opened(path: str, flags: int) -> str | None:
    """Where the kernel opens a path; None where it does not."""
    try:
        descriptor = os.open(path, flags, 0o600)
    except (OSError, ValueError):
        return None
    try:
        at = os.readlink(f"/proc/self/fd/{descriptor}")
        # so the kernel says of a directory that is mounted here and was removed where it lay
        return at if os.fstat(descriptor).st_nlink else at.removesuffix(" (deleted)")
    finally:
        os.close(descriptor)


def compare(path: str, root: Path) -> int:
    """Hold what is said about a path against the kernel; how often the kernel had an answer."""
    seen = 0
    for follow, flags in ((True, os.O_PATH), (False, os.O_PATH | os.O_NOFOLLOW)):
        place, at = Disk().locate(path, follow), opened(path, flags)
        if at is not None:
            assert (place.real, place.problem) == (at, None), (path, follow)
            seen += 1
    place = Disk().locate(path)
    within = place.real is not None and f"{place.real}/".startswith(f"{root}/")
    if within or place.problem:
        seen += _created(path, place.real) + _removed(path)
    return seen


def _created(path: str, real: str | None) -> int:
    """The kernel makes a file where the path is said to lead, or makes none."""
    at = opened(path, os.O_WRONLY | os.O_CREAT)
    assert at is None or at == real, path
    return at is not None


def _removed(path: str) -> int:
    """What the kernel removes is what the path is said to name when it is removed."""
    place = Disk().locate(path, follow=False)
    if place.real is None:
        assert not _removes(path), path
        return 0
    before = os.path.lexists(place.real)
    done = _removes(path)
    assert not done or (before and not os.path.lexists(place.real)), path
    return done


def _removes(path: str) -> bool:
    try:
        os.unlink(path)
    except (OSError, ValueError):
        try:
            os.rmdir(path)
        except (OSError, ValueError):
            return False
    return True


def compared(seed: int, count: int, binds: bool = False) -> int:
    """Compare paths of so many trees; how often the kernel had an answer."""
    rng = random.Random(seed)  # noqa: S311
    seen = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            root = Path(os.path.realpath(folder)) / str(number)
            root.mkdir()
            plant(root, rng)
            if binds:
                _mount(root, rng)
            for _ in range(12):
                seen += compare(path_in(root, rng), root) if root.exists() else 0
            if binds:
                subprocess.run(["umount", "-l", root], check=True)
            subprocess.run(["rm", "-rf", root], check=True) if number % 50 == 49 else None
    return seen


def _mount(root: Path, rng: random.Random) -> None:
    """Make the tree a mount of its own, and bind directories of it over others."""
    subprocess.run(["mount", "--bind", root, root], check=True)
    every = [at for at, _, _ in os.walk(root) if at != str(root)]
    for _ in range(min(2, len(every) // 2)):
        source, target = rng.choice(every), rng.choice(every)
        if not f"{source}/".startswith(f"{target}/") and not f"{target}/".startswith(f"{source}/"):
            subprocess.run(["mount", "--bind", source, target], check=False, capture_output=True)


if __name__ == "__main__":
    print(compared(int(sys.argv[1]), int(sys.argv[2]), binds=True))
