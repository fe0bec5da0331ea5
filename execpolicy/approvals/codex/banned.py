"""The prefixes that Codex never offers to allow (0.169): each leaves open what would run.

A requested prefix is dropped if it *equals* one of these. Our own amendments are judged by the
catalogue instead (`catalogue.banned`), which knows the class and not a list.
"""

_SHELLS = (*(f"{folder}{name}" for folder in ("", "/bin/") for name in ("bash", "sh", "zsh")),)
_POWERSHELL = ("", "-Command", "-EncodedCommand", "-File", "-c")

_BY_PROGRAM: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_SHELLS, ("", "-c", "-lc")),
    (("dash", "fish", "ksh"), ("", "-c")),
    (("cmd", "cmd.exe"), ("", "/c", "/k")),
    (("powershell", "powershell.exe"), _POWERSHELL),
    (("pwsh",), (*_POWERSHELL, "-e", "-ec", "-f")),
    (("python", "python3"), ("", "-", "-c")),
    (("py",), ("", "-3")),
    (("node", "nodejs", "perl", "ruby", "lua", "julia"), ("", "-e")),
    (("bun",), ("", "-e", "run")),
    (("deno",), ("", "eval")),
    (("php",), ("", "-r")),
    (("npm", "pnpm", "yarn"), ("run",)),
    (
        ("pythonw", "pyw", "pypy", "pypy3", "Rscript", "osascript", "env", "sudo", "git", "rm"),
        ("",),
    ),
)

BANNED = frozenset(
    (program, tail) if tail else (program,)
    for programs, tails in _BY_PROGRAM
    for program in programs
    for tail in tails
)
