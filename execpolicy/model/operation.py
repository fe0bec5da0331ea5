"""What a request does, one atomic thing at a time.

A script text is read into these; rules, catalogue and posture apply to these and nothing else.
"""

from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from execpolicy.model.scope import Scope

    Mode = Literal["read", "write", "remove", "execute"]
    Extent = Literal[
        "file",
        "names",
        "tree",
        "visible",
        "tracked",
        "staged",
        "history",
        "revision",
        "entry",
        "repository",
        "below",
        "edited",
        "restored",
        "including",
    ]


SHELLS = ("bash", "sh", "zsh")
"""The shells whose language is read."""
MODES = ("read", "write", "remove", "execute")
EXTENTS = ("file", "names", "tree", "visible", "tracked", "entry", "below", "edited")
"""The values of `Access.mode`, and those of `Access.extent` that a request may have: the catalogue
has more."""
UNNAMED = frozenset(("below", "edited", "restored"))
"""Extents of which no word names the files."""


class Hole(OrderedEnum):
    """What is computed in a template.

    `NUMBER` may have a sign, be missing, or be several on lines of their own. `TIME` begins with a
    digit or is missing.
    """

    NUMBER = 1
    TIME = 2


Template = tuple[str | Hole, ...]
"""Literal texts, none of them empty and no two side by side, and what is computed between them."""


COMMANDS = "$()"
"""Stands among the names of variables for the output of commands."""


class Dynamic(Value):
    """A word that the shell computes when it runs: `$x`, `$(date)`, `*.py`, `~user`.

    `source` is the word as written. `prefix` is literal text that every resulting word is known to
    start with (`src/` for `src/*.py`), empty where nothing is known. `single` says that exactly one
    word results (`"$x"`), so that what follows keeps its position. `not_option` says that no
    resulting word begins like an option (`$(git rev-parse HEAD)`), `digits_only` that each is
    digits only. `template` is what the word is made of where only numbers and times are computed,
    as in `"$((n-5)),${n}p"`, and empty elsewhere. `suffix` is literal text that every resulting
    word is known to end with. `fed_by` names the programs of the pipeline that prints the
    words, its first one first, where each word is a line of it or a piece of one. `names` are the
    variables whose value is in it, also by way of a substitution, which stands there as `COMMANDS`.
    `printed` is the text of a substitution, where the script itself holds it; it only adds to what
    is judged.
    """

    source: str
    prefix: str = ""
    single: bool = False
    not_option: bool = False
    digits_only: bool = False
    template: Template = ()
    suffix: str = ""
    fed_by: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    printed: str | None = None


Word = str | Dynamic
"""A literal word, after quote removal, or a dynamic one."""


def show(word: Word) -> str:
    """The word as it was written."""
    return word if isinstance(word, str) else word.source


def is_pipe(word: Word) -> bool:
    """Whether this is `>(…)` or `<(…)` and nothing else: a pipe to a command seen on its own."""
    source = word.source if isinstance(word, Dynamic) else ""
    return source[:2] in (">(", "<(") and source.find(")") == len(source) - 1


Span = tuple[int, int]
"""Start and end offset, in characters, of an operation's source in the script text."""


class Assignment(Value):
    """`NAME=value`. `value` is None where it is an array or computed piece by piece (`x+=1`).

    `among` are the words that a loop gives it, one after the other, and the elements of an array.
    """

    name: str
    value: Word | None
    exported: bool = False
    among: tuple[Word, ...] = ()


def added(
    assignments: tuple[Assignment, ...], known: tuple[Assignment, ...]
) -> tuple[Assignment, ...]:
    """Those after the ones that are known, where they begin with these; else all."""
    return assignments[len(known) :] if assignments[: len(known)] == known else assignments


class Exec(Value):
    """A program is run with these words.

    `env` holds the assignments its process receives beyond what it inherits. `via` is the way in,
    outermost first (`timeout 5`, `bash -c`, `$(…)`). `stdin` is the literal text of a heredoc or
    here-string that the command reads, or None. `fed_by` names the programs whose output is piped
    into it, nearest last, an empty string for one whose name is dynamic or that is a compound.
    `redirected`: it reads a file, or what is left of what a compound around it reads. `piped` is
    the text that comes through the pipeline, where the script itself holds it.
    """

    argv: tuple[Word, ...]
    env: tuple[Assignment, ...] = ()
    via: tuple[str, ...] = ()
    stdin: str | Dynamic | None = None
    fed_by: tuple[str, ...] = ()
    span: Span | None = None
    redirected: bool = False
    piped: str | None = None


MCP = "mcp__"
"""How the name of a tool of an MCP server begins, in all hosts: `mcp__SERVER__TOOL`."""


def server_of(tool: str) -> str:
    """The server in the name of a tool, or of all tools that a server has.

    >>> server_of("mcp__github__get_issue"), server_of("mcp__github")
    ('mcp__github', 'mcp__github')
    """
    return "__".join(tool.split("__")[:2])


MOVES = frozenset(("cd", "chdir", "pushd", "popd"))
"""The builtins of shells that change the directory of what comes after them."""


class Assign(Value):
    """A variable of the shell itself is set: `x=1` as a statement, `export x=1`, `for x in …`."""

    assignment: Assignment
    via: tuple[str, ...] = ()
    span: Span | None = None


MODE_EFFECTS = {"read": "read", "write": "write", "remove": "destroy"}
"""The effect of opening a path in a mode."""


class Access(Value):
    """A path is opened by the shell or named by a program as its file.

    `mode` is `read`, `write` (created, changed, truncated, appended to), `remove`, or `execute` for
    code that a program runs. `extent` tells
    how much of it is read: `file`, its content; `names`, no content but names, sizes, kinds and
    counts; `tree`, the content of all that lies below it too; `visible`, of that what is neither
    hidden nor ignored by git; `tracked`, of that what git tracks. `staged` is what the index of a
    repository holds, `history` what any of its commits has below a path, all of it for `:/`;
    `revision` the same for a path that is there, all of it for one that is not. Of what is written,
    `entry` is something put into a directory under its own name, which is an access of its own,
    `repository` what a program keeps of a directory beside its files (the index, commits, refs),
    `below` are files below a directory that no word names, of whatever name, `edited` those that
    are there already, and `restored` those of the work tree that git keeps. `including` is a file
    and those that it includes.
    `source` is what is copied or moved there, which may be a directory with more in it. `replaces`:
    what a file held before it is written is gone. `content` is what is written, where the script
    itself holds it. `follows`: of a tree that is read, and of files that are `edited` or `below`,
    what links in it lead to counts as well.
    """

    path: Word
    mode: "Mode"
    via: tuple[str, ...] = ()
    span: Span | None = None
    extent: "Extent" = "file"
    source: Word | None = None
    replaces: bool = False
    follows: bool = False
    content: str | None = None


OUTPUT_DEVICES = frozenset(
    ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2", "/dev/tty")
)
"""Where anything may be written without a file being changed: nowhere (null(4)), the terminal
(tty(4)), and the streams that are open already."""


class Connect(Value):
    """A host is reached. `host` as written; `protocol` a scheme such as `https`, `ssh` or `tcp`.

    `port` is None where the command does not tell it.
    """

    host: Word
    protocol: str
    via: tuple[str, ...] = ()
    span: Span | None = None
    port: int | None = None


class Opaque(Value):
    """A spot that is not fully understood, and why. Always at least PROMPT.

    `fork_bomb` says that it is a function that starts copies of itself without end; `sourced`, that
    it is a call of `source`, which runs commands of a file. The operation after it is the call.
    """

    text: str
    why: str
    via: tuple[str, ...] = ()
    span: Span | None = None
    fork_bomb: bool = False
    sourced: bool = False


class Variable(Value):
    """A variable of the environment is shown: `printenv NAME`; all of them where `name` is None.

    `expanded`: those whose values the request takes.
    """

    name: Word | None = None
    expanded: bool = False


Operation = Exec | Assign | Access | Connect | Opaque


class Request(Value):
    """What is to be decided about: a script text, the words of a command, or operations.

    Exactly one of `text`, `argv` and `operations` is given. `operations` is for all but commands:
    a tool that reads or writes files or reaches a host. `cwd` is an absolute path or None where
    unknown, `shell` the shell that will read `text`: `bash`, `sh`, `zsh` or None where unknown.
    `root` is the session's root directory, absolute, where the host names one, and `roots` the
    directories that the host added to it. `scope` is the folder that the agent is bound to.
    `tool`, `input` (as JSON with sorted keys) and `effects` are what is known about a tool that is
    called; `effects` is None where it declares none.
    """

    text: str | None = None
    argv: tuple[str, ...] | None = None
    cwd: str | None = None
    shell: str | None = None
    agent: str | None = None
    session: str | None = None
    operations: tuple[Operation, ...] | None = None
    root: str | None = None
    scope: "Scope | None" = None
    tool: str | None = None
    input: str | None = None
    effects: tuple[str, ...] | None = None
    roots: tuple[str, ...] = ()
