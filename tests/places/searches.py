"""Searches with limits in trees with keys: what the real programs show beside what is allowed.

Each file holds a line of its own, so that what is printed tells which files were read.
"""

import random
import shlex
import subprocess
from pathlib import Path

from execpolicy import Decision, Engine
from execpolicy.support.record import Value

DIRECTORIES = ("src", ".cfg", "env", ".env", ".aws", "a", "build")
KEYS = (".env", ".env.local", "id_rsa", "k.pem", "credentials", ".netrc", "prod.key", ".Env")
PLAIN = ("a.py", "b.ts", "env", "x.json", ".hidden", "Makefile", "README.md", "pem", "rsa")
GLOBS = (
    *(*KEYS, *PLAIN, "*", "*.py", "*.env", ".env*", ".e*", "*env", "?env", "[.]env", "[!.]*"),
    *("[^a]*", "*.{py,pem}", "*.p[ey]m", "id_*", "*rsa", "*.*", ".*", "*.ENV", "{.env,x}", ".ENV"),
    *("\\.env", "**/.env", "/.env", "./.env", "src/*", "src/**", "**/*.pem", ".aws/credentials"),
    *("cred*", "**", "#.env", "env/", ".env/", "[[:punct:]]env", "*.pem ", "a/../.env", "*/.env"),
    *(".env.*", "**/src/**", "*.k?y"),
)
NAMES = (
    *(*DIRECTORIES, ".", "..", "*", ".*", "e*", "s?c", "src/", ".env/", "[s]rc", "./src", "SRC"),
    "*env",
)
TYPES = ("py", "json", "sh", "all", "config", "yaml", "md")
ROOTS = (
    *("", ".", "./", "./.", "a/..", "src", "src/", "./src", "src/../.", "src/..//", ".//src"),
    *("-- .", "-- src", "src a", ". src", "{top}", "{top}/", "{top}/src", "{top}/./src/.."),
    *("../{name}", ".cfg", "a.py", "src a.py", ".env/", "./.env", "*", "src/*", ".aws", "env"),
    *("a/../src/.", "'.'", '"."'),
)
BEGINS = {
    "grep": ("grep -r ''", "grep -rh ''", "grep -re ''", "grep --recursive ''", "grep -d rec ''"),
    "rg": ("rg ''", "rg -N ''", "rg -e ''", "rg --hidden ''"),
}


class Compared(Value):
    """The commands that were allowed and showed a key; how many showed one, and how many asked
    though they showed none."""

    passed: list[str]
    shown: int
    strict: int


def compared(program: str, top: Path, seed: int, count: int) -> Compared:
    """Run so many searches, with 40 in each tree."""
    dice, engine = random.Random(seed), Engine.load(rules=[])  # noqa: S311
    passed, shown, strict = [], 0, 0
    here, keys = top, dict[str, str]()
    for number in range(count):
        if number % 40 == 0:
            here = top / f"{seed}-{number}"
            (here / ".git").mkdir(parents=True)
            keys = tree(here, dice)
        text = command(program, here, dice)
        done = subprocess.run(
            ["bash", "-c", text], cwd=here, capture_output=True, stdin=subprocess.DEVNULL
        )
        seen = [path for line, path in keys.items() if line in done.stdout.decode()]
        allowed = engine.check(text, cwd=str(here)).decision is Decision.ALLOW
        if seen and allowed:
            passed.append(f"{here}: {text} shows {seen}")
        shown += bool(seen)
        strict += not (seen or allowed)
    return Compared(passed, shown, strict)


def tree(top: Path, dice: random.Random) -> dict[str, str]:
    """A tree of files, made below `top`: the line of each key, with its path."""
    keys: dict[str, str] = {}
    places = [top]
    for _ in range(dice.randrange(1, 5)):
        places.append(dice.choice(places) / dice.choice(DIRECTORIES))
    for number in range(dice.randrange(2, 9)):
        path = dice.choice(places) / dice.choice(KEYS if dice.random() < 0.6 else PLAIN)
        line = f"line{number}of{dice.randrange(10**9)}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{line}\n")
        except OSError:  # a directory of this name, or a file in its place
            continue
        if path.name in KEYS and (path.name != "credentials" or path.parent.name == ".aws"):
            keys[line] = str(path)
    if dice.random() < 0.3:
        (top / ".gitignore").write_text(dice.choice((".env\n", "build\n", "!.env\n", "*.pem\n")))
    return keys


def command(program: str, top: Path, dice: random.Random) -> str:
    """One search, with its limits before or after its root."""
    words = (_grep if program == "grep" else _rg)(dice)
    dice.shuffle(words)
    root = dice.choice(ROOTS).format(top=top, name=top.name)
    at = len(words) if root.startswith("--") else dice.randrange(len(words) + 1)
    return " ".join([dice.choice(BEGINS[program]), *words[:at], root, *words[at:]])


def _grep(dice: random.Random) -> list[str]:
    found = []
    for _ in range(dice.choice((0, 1, 1, 1, 2, 2, 3))):
        option = dice.choice(("--include", "--exclude", "--exclude-dir", "--exclu"))
        glob = shlex.quote(dice.choice(NAMES if option == "--exclude-dir" else GLOBS))
        found.append(option + dice.choice("== ") + glob)
    return found


def _rg(dice: random.Random) -> list[str]:
    found = []
    for _ in range(dice.choice((0, 1, 1, 1, 2, 2, 3))):
        glob = shlex.quote(dice.choice(("", "", "!")) + dice.choice((*GLOBS, *NAMES)))
        found.append(dice.choice(("-g ", "-g", "--glob=", "--iglob ")) + glob)
    for option in ("--hidden", "-u", "-uu", "--no-ignore", "--glob-case-insensitive", "-."):
        if dice.random() < 0.1:
            found.append(option)
    if dice.random() < 0.15:
        found.append(dice.choice(("-t", "-T ")) + dice.choice(TYPES))
    if dice.random() < 0.05:
        found.append("--type-add 'py:*.env' -tpy")
    return found
