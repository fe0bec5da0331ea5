"""Constructs that run the commands that are put into them once, as they are.

Each is what stands before the commands and after them, in the shells `bash`, `zsh` and `dash`.
"""

# ruff: noqa: E501

import re
from collections.abc import Callable

from execpolicy.support.record import Value

N = "\\\n"
Around = tuple[str, str]

_GROUPS = (
    ("{ ", "}"), ("( ", ")"), ("! { ", "}"), ("true && { ", "}"), ("( ", ") & wait"), ("{ ", "} 2>&1"), ("if ", "then :; fi"),
    ("if true; then ", "fi"), ("if false; then :; else ", "fi"), ("if false; then :; elif true\nthen\t", "fi"),
    ("while true; do ", "break; done"), ("until false; do ", "break; done"), ("while ", "false; do :; done"), ("until ", "do :; done"),
    ("for i_ in 1; do ", "done"), ("for i_ in 1\ndo\t", "done"), ("case a in a) ", ";; esac"), ("case a in (a)", "esac"), ("eval; ", ""),
)  # fmt: skip
_MORE_GROUPS = (
    ("time { ", "}"), ("time ", "true"), ("for i_ in 1; { ", "}"), ("[[ a ]] && { ", "}"), ("if [[ a ]]; then ", "fi"),
    ("for ((i_=0; i_<1; i_++)); do ", "done"), ("for ((i_=0; i_<1; i_++)) { ", "}"), ("((1)) && { ", "}"), ("select i_ in 1; do ", "break; done <<< 1"),
)  # fmt: skip
_BASH_GROUPS = (
    ("select i_ in 1; { ", "break; } <<< 1"), ("coproc { ", "}; wait"), ("case a in a) ;& b) ", ";; esac"), ("case a in a) ", ";;& b) :; esac"),
)  # fmt: skip
_ZSH_GROUPS = (
    ("() { ", "}"), ("function { ", "}"), ("repeat 1; do ", "done"), ("repeat 1 { ", "}"), ("{ ", "} always { : }"),
    ("for i_ (1) { ", "}"), ("if [[ a ]] { ", "}"), ("foreach i_ (1)\n", "end"), ("while ((1)) { ", "break }"), ("TRAPEXIT() { ", "}"),
)  # fmt: skip
_BODIES = (("{ ", "}"), ("{ ", "}"), ("{\n", "}"), ("{\t", "}"), ("( ", ")"))
_COMPOUND_BODIES = (
    ("if true; then ", "fi"),
    ("case a in a) ", "esac"),
    ("for i_ in 1; do ", "done"),
)


def heads(name: str, shell: str) -> list[str]:
    """What begins the definition of a function, before its body."""
    found = [
        f"{name}()",
        f"{name} ( )",
        f"{name}\t()\t",
        f"{name}({N})",
        f"{name}{N}()",
        f"{name}()\n",
        f"{name}()\n\n\t",
    ]
    if shell != "dash":
        found += [
            f"function {name} ", f"function\t{name} ", f"function {name}()", f"function{N} {name} ", f"func{N}tion {name} ",
            f"function  {name}\n", f"function\t{name} ( )", f"function {N}{name}\t",
        ]  # fmt: skip
    return found


def groups(name: str, shell: str) -> list[Around]:
    """Compound commands, and functions of this name that are called after their definition."""
    found = [*_GROUPS]
    if shell != "dash":
        found += _MORE_GROUPS
    found += {"bash": _BASH_GROUPS, "zsh": _ZSH_GROUPS, "dash": ()}[shell]
    bodies = [*_BODIES, *(() if shell == "zsh" else _COMPOUND_BODIES)]
    if shell == "bash":
        bodies += [
            ("if [[ a ]]; then ", "fi"),
            ("for ((i_=0; i_<1; i_++)) { ", "}"),
            ("for i_ in 1; { ", "}"),
        ]
    for head in heads(name, shell):
        for before, after in bodies:
            apart = "" if head[-1] in " \t\n" else " "
            found += [
                (f"{head}{apart}{before}", f"{after}; {name}"),
                (f"{head}{apart}{before}", f"{after}\n{name}"),
            ]
    return found


class Holder(Value):
    """Quotes or a heredoc that hold commands: what becomes of their text, what is around it."""

    escaped: Callable[[str], str]
    before: str
    after: str


def holders(shell: str) -> list[Holder]:
    """The ways to hold a text."""
    found = [
        Holder(_in_single, "'", "'"), Holder(_in_single, "'", "\n'"), Holder(_in_double, '"', '"'),
        Holder(str, "<<'E_'\n", "\nE_\n"), Holder(str, "<<\\E_\n", "\nE_\n"), Holder(_in_body, "<<E_\n", "\nE_\n"),
    ]  # fmt: skip
    return found if shell == "dash" else [*found, Holder(_in_ansi, "$'", "'")]


def runners(name: str, shell: str) -> list[Around]:
    """What runs the words that hold commands."""
    alias = "shopt -s expand_aliases\n" if shell == "bash" else ""
    found = [
        ("eval ", ""), ("eval\t", ""), ("command eval ", ""), ("trap ", " EXIT"), ("trap -- ", " 0"),
        (f"{shell} -c ", ""), (f"{shell} -c ", " x y"), (f"env {shell} -c ", ""), (f"{name}=", f'; eval "${name}"'),
        (f"{name}=", f'\n{shell} -c "${name}"'), (f"{alias}alias {name}=", f"\n{name}\n"), (f"{alias}alias {name}=", f"\neval {name}\n"),
    ]  # fmt: skip
    if shell == "bash":
        found += [
            ("eval -- ", ""),
            ("bash -c -- ", ""),
            ("bash <<< ", ""),
            ("bash +x -c ", ""),
            (". /dev/stdin <<< ", ""),
            ("builtin eval ", ""),
        ]
    if shell == "zsh":
        found += [
            ("eval -- ", ""), ("zsh -fc ", ""), ("zsh <<< ", ""), ("emulate zsh -c ", ""), (f"functions[{name}]=", f"\n{name}"),
            (f"alias -g {name}=", f"\neval {name}"), ("builtin eval ", ""),
        ]  # fmt: skip
    return found


def readers(shell: str) -> list[str]:
    """What runs the commands of a heredoc."""
    return [shell, f"{shell} -s", ". /dev/stdin", f"env {shell}"]


def _in_single(text: str) -> str:
    return text.replace("'", "'\\''")


def _in_double(text: str) -> str:
    return re.sub(r'([$`"\\])', r"\\\1", text)


def _in_body(text: str) -> str:
    return re.sub(r"([$`\\])", r"\\\1", text)


def _in_ansi(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
