"""`execpolicy query`: which commands may run and do something."""

from collections.abc import Sequence
from itertools import islice

from execpolicy.commands.arguments import COMMAND, Kind, OptionSyntax, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.policy_sources import LAYERS, load
from execpolicy.commands.proving import side
from execpolicy.commands.render.reasons import where_line
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.program import EFFECT, EFFECTS
from execpolicy.prove.questions.query import passing

SYNTAX = Syntax(
    "query",
    (
        OptionSyntax(("--effect",), "effects", Takes("effect", Kind.WORD, EFFECTS), repeats=True),
        OptionSyntax(("--policy",), "policy", Takes("policy", Kind.FILE, ending=".rules")),
        OptionSyntax(("--confined",), "confined"),
        OptionSyntax(("--no-builtin",), "builtin", value=False),
        OptionSyntax(("--most",), "most", Takes("number")),
    ),
    COMMAND,
    leads=True,
)

MAX_WIDTH = 60


def main(arguments: Sequence[str]) -> ExitCode:
    """Print the examples."""
    parsed = parse(SYNTAX, arguments)
    if not parsed.operands:
        raise UsageError("say with which words the commands begin: `execpolicy query -- git`")
    fields = parsed.fields
    most = str(fields.get("most", "10"))
    if not most.isdecimal():
        raise UsageError(f"`--most` takes a number, not `{printable(most, 20)}`")
    policy = side(load(str(fields.get("policy", LAYERS)), "builtin" not in fields))
    effects = fields.get("effects", ())
    field = "confined" if "confined" in fields else "decision"
    wanted = tuple(map(str, effects)) if isinstance(effects, tuple) else ()
    every = passing(policy, parsed.operands, wanted, field)
    found = [*islice(every, int(most))]
    shown = [printable(each.shown, 300) for each in found]
    width = min(max(map(len, shown), default=0), MAX_WIDTH)
    for text, each in zip(shown, found, strict=True):
        print(
            f"{text:{width}}  # {', '.join(each.effects) or 'nothing'} ({where_line(each.reason)})"
        )
    if found:
        more = f"; there are more than these {most}: see `--most` and `--effect`"
        beyond = more if next(every, None) is not None else ""
        print(f"# each is one example of its sort: others of it may run as well{beyond}")
    else:
        print(_none(parsed.operands, wanted, field))
    return ExitCode.ALLOW


def _none(words: Sequence[str], effects: tuple[str, ...], field: str) -> str:
    """That there is none, as a whole sentence."""
    sort = f" and {' or '.join(map(EFFECT.__getitem__, effects))}" if effects else ""
    where = " in the sandbox" if field == "confined" else ""
    begun = printable(" ".join(words), 60)
    return f"none: each command that begins with `{begun}`{sort} asks or is refused{where}"
