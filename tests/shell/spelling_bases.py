"""Scripts for which it matters where a command runs, what a glob finds and what a variable holds.

Some are put together from statements in compound commands, the others are those of the generators
of random scripts, with commands that only read in the place of their unknown ones.
"""

# ruff: noqa: E501

import re
from random import Random

from tests.shell.scripts import GENERATORS

_QUIET = (
    "git status", "git status", "git status", "git diff", "git log -1", "cat a.txt", "cat *", "cat *", "ls", "head *",
    "cat sub/*", "cat list", "echo x", "true", "wc -l *", "cat shadow", "x=1", "git ls-files", "cat ./*", "head -1 s*",
)  # fmt: skip
"""What is allowed where nothing else is said; some of it not in every directory."""
_MOVES = (
    "cd ../other", "cd ../other", "cd ../other", "cd ../proj", "cd sub", "cd ..", "pushd ../other", "q=../other; cd $q",
    'd=other; cd "../$d"', "cd ../other && cd -", "cd ../other/sub", "CDPATH=..; cd other", "command cd ../other",
    'set -- ../other; cd "$1"', "cd ~/other", "eval 'cd ../other'", "cd $HOME/other", "cd other", "cd /etc", "cd ..; cd other",
)  # fmt: skip
_USES = (
    "cat .e*", "cat .env", 'cat "$x"', "cat $x", "git -C ../other status", "GIT_DIR=../other/.git git status", "export GIT_DIR=../other/.git",
    "env -C ../other git status", "cat ~/.netrc", "head -1 .[a-z]*", "cat ../other/.e*", "cat .??*", "(cd ../other; git status)",
)  # fmt: skip
_SECRETS = (
    "echo $GITHUB_TOKEN", 'echo "$GITHUB_TOKEN"', "printf %s $GITHUB_TOKEN", "cat <<E\nx $GITHUB_TOKEN\nE\n",
    "cat <<E\n${GITHUB_TOKEN}\nE\n", "x=$GITHUB_TOKEN; echo $x", 'echo "a ${GITHUB_TOKEN}b"', "printenv GITHUB_TOKEN",
    "for t in $GITHUB_TOKEN; do echo $t; done", "echo $((1+GITHUB_TOKEN))", "export T=$GITHUB_TOKEN; printenv T",
    "eval 'echo $GITHUB_TOKEN'", "case $GITHUB_TOKEN in *) echo x;; esac", "head -1 <<E\n$GITHUB_TOKEN\nE\n",
    "f() { echo $1; }; f $GITHUB_TOKEN", "set -- $GITHUB_TOKEN; echo $1", "echo ${GITHUB_TOKEN#x}",
)  # fmt: skip
_FEEDS = (
    "git ls-files 2>&1 | xargs cat", "ls | xargs cat", "ls -a | xargs cat", "echo .env | xargs cat", "ls 2>&1 | xargs cat",
    "cat `ls -a`", "git ls-files | while read -r l; do cat $l; done", "cat a.txt | xargs cat", "cat a.txt 2>&1 | xargs cat",
    "printf '%s\\n' a.txt | xargs cat", "echo a.txt 2>&1 | xargs cat", "git ls-files | head -1 | xargs cat",
    "f() { echo a.txt; }; f | xargs cat", "f() { cat; }; echo a.txt | f | xargs cat", "cat list | xargs cat",
    "printf a.txt | { xargs cat; }", "ls *.txt | xargs cat", "xargs cat < list", "echo a.txt | { cat list; xargs cat; }",
    "echo a.txt | ( xargs cat )", "rg -l x | xargs head", "exec < list; xargs cat", "xargs cat <<E\na.txt\nE\n", "cat <<E | xargs cat\na.txt\nE\n",
    "rg -l x 2>&1 | xargs head", "{ cat list; echo a.txt; } | xargs cat", "echo a.txt | while read -r l; do cat $l; done", "echo a.txt > o1; cat o1 | xargs cat",
    "echo a.txt | xargs cat", "printf '%s\\n' *.txt | xargs cat", "echo a.txt | xargs cat < list",
)  # fmt: skip
_BASH = (
    "shopt -s dotglob", "shopt -s dotglob", "shopt -s dotglob; cat *", "shopt -s dotglob; head *", "bash -O dotglob -c 'cat *'",
    "shopt -s cdable_vars; q=../other; cd q", "shopt -s cdable_vars; q=../other; cd q; git status", "shopt -s cdable_vars; q=/etc; cd q; cat shadow",
    "ls |& xargs cat", "echo a.txt |& xargs cat", "xargs cat < <(echo a.txt)", "xargs cat < <(cat list)", "xargs cat <<< .env", "rg -l x |& xargs head",
    "cat <<< $GITHUB_TOKEN", 'cat <<< "$GITHUB_TOKEN"', "x=GITHUB_TOKEN; echo ${!x}", "mapfile -t m < list; cat \"${m[@]}\"", "declare q=../other; cd $q",
    "shopt -s globstar; cat **", "printf -v q %s ../other; cd $q", "BASHOPTS=dotglob bash -c 'cat *'", "pushd ../other > o1; popd", "GLOBIGNORE=.; cat *",
    "bash -O dotglob -c 'head *'", "a=(../other); cd ${a[0]}; git status", "shopt -s autocd; ../other; git status", "builtin cd ../other; git status",
    "set -o posix; cd ../other", "bash -O cdable_vars -c 'q=/etc; cd q; cat shadow'", "xargs -a list cat", "shopt -u dotglob; cat *", "GLOBIGNORE=a*; head *",
)  # fmt: skip
_ZSH = (
    "setopt globdots", "setopt dotglob", "setopt autocd; ../other", "setopt cdablevars; q=../other; cd q", "cat *(D)", "xargs cat <<< .env",
    "echo a.txt |& xargs cat", "< .env", "cat <(git ls-files)", "cat =(git ls-files)", "hash -d q=../other; cd ~q", "a=(../other); cd $a",
    "setopt globdots; cat *", "cat **", "chpwd() { git status; }; cd ../other", "cat <<< $GITHUB_TOKEN", "xargs cat < <(cat list)", "xargs cat <(cat list)",
)  # fmt: skip
_COMPOUNDS = (
    "@", "@", "@", "@; @", "@; @", "for i in 1 2; do @; @; done", "for i in 1 2; do @; @; done", "while read -r l; do @; @; done < list",
    "f() { @; }; @; f", "f() { @; }; @; f", "f() { @; }; f; @; f", "trap '%' EXIT; @", "trap '%' EXIT; @", "if true; then @; fi; @", "{ @; }; @", "( @ ); @",
    "@ && @", "@ || @", "x=$(@); @", "n=0; while [ $n -lt 2 ]; do n=$((n+1)); @; @; done", "for w in a.txt list; do cat \"$w\"; @; done",
    "for w in *; do cat $w; done; @", "eval '%'; @", "f() { @; }; for i in 1 2; do f; @; done", "alias k='%'; @\nk", "until @; do @; done",
    "f() ( @ ); f; @", "f() { cd ../other; }; f; @", "for i in 1 2; do @; cd ../other; done", "echo $(@); @", "@ | cat; @", "@ & wait; @", "f() { @; }; @\nf",
    "trap '%' EXIT\n@", "for x in ../other; do cd $x; @; done", "f() { cd $1; @; }; f ../other", "while @; do @; done", "case x in x) @;; esac; @",
    "f() { @; @; }; f; f", "cd ../other; trap '%' EXIT; cd ../proj", "f() { g; }; g() { @; }; @; f", "if @; then @; else @; fi",
)  # fmt: skip
_BASH_COMPOUNDS = (
    "for ((i=0;i<2;i++)); do @; @; done", "function f { @; }; @; f", "[[ -f a.txt ]] && @", "shopt -s expand_aliases\nalias k='%'\n@\nk",
    "for ((;;)); do @; @; break; done", "shopt -s dotglob; @", "shopt -s dotglob; @", "time @", "trap '%' DEBUG; @; true", "trap '%' RETURN ERR; @; false",
    "select i in 1 2; do @; @; done <<< 1",
)  # fmt: skip


def base(random: Random, shell: str) -> str:
    """A script for one of the shells `bash`, `zsh`, `dash`."""
    if random.random() < 0.1:
        return generated(random, shell)
    return _Base(random, shell).script()


def generated(random: Random, shell: str) -> str:
    """A script of the other generators, with statements of this one for its unknown commands."""
    kind = (
        "portable"
        if shell == "dash"
        else random.choice(("grown", "grown", "nested", "portable", "spliced"))
    )
    made = _Base(random, shell)
    text = GENERATORS[kind](random)
    return re.sub(
        r"['\"\\]*\b(?:A|B|C|ls|git)\b['\"]*(?:[ \t]+k\d+)?", lambda _: made.simple(), text
    )


class _Base:
    def __init__(self, random: Random, shell: str) -> None:
        self.random = random
        own = {"bash": _BASH, "zsh": _ZSH, "dash": ()}[shell]
        self.rows = (_MOVES, _MOVES, _MOVES, _MOVES, _USES, _SECRETS, _FEEDS, own or _MOVES)
        self.compounds = _COMPOUNDS + (_BASH_COMPOUNDS if shell != "dash" else ())

    def script(self) -> str:
        parts = [self.shaped(1) for _ in range(self.random.choice((1, 1, 1, 2)))]
        text = self.random.choice(("; ", "; ", "\n", " && ")).join(parts)
        return re.sub(r"\nE\n *(?:;|&&|\|\||&) *", "\nE\n", text)

    def shaped(self, depth: int) -> str:
        shape = self.random.choice(self.compounds)
        while "%" in shape:
            shape = shape.replace("%", self.simple().replace("'", ""), 1)
        while "@" in shape:
            inner = (
                self.shaped(depth - 1) if depth and self.random.random() < 0.3 else self.statement()
            )
            shape = shape.replace("@", inner.replace("@", "\0"), 1)
        return shape.replace("\0", "@")

    def statement(self) -> str:
        shape = self.random.random()
        if shape < 0.5:
            return self.random.choice(_QUIET)
        text = self.random.choice(self.random.choice(self.rows))
        return text if shape < 0.9 else f"{text}; {self.random.choice(_QUIET)}"

    def simple(self) -> str:
        while True:
            text = self.random.choice(self.random.choice((_MOVES, _QUIET, _QUIET)))
            if ";" not in text and "'" not in text:
                return text
