"""Examples of what may run unasked: one of each form, as a stranger reads them."""

import pytest

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.proving import side
from execpolicy.commands.query import main
from execpolicy.commands.render.reasons import where_line
from execpolicy.prove.questions.query import passing
from execpolicy.prove.samples import MADE_UP
from execpolicy.support.resources import rules_directory
from tests.prove.test_answers import loaded

RULES = 'posture(write = {"temporary": "allow", "project": "allow"})'


def found(*words: str, effects: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    policy = side(loaded("a", RULES))
    return [(each.shown, each.effects) for each in passing(policy, words, effects)]


def test_one_of_each_form() -> None:
    """By subcommand, effects and places; the plainest first."""
    both = ("read", "write")
    written = found("touch", effects=("write",))
    assert written[:2] == [("touch x", both), ("touch /tmp/d/x", both)]
    assert "touch /tmp/d/x x" not in dict(written)
    assert found("git", effects=("remote",)) == []


def test_none_is_a_whole_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--policy", "-", "--effect", "destroy", "--confined", "--", "git", "push"]
    assert main(words) == ExitCode.ALLOW
    assert capsys.readouterr().out == (
        "none: each command that begins with `git push` and removes what cannot be brought"
        " back asks"
        " or is refused in the sandbox\n"
    )


def test_what_it_does_stands_behind(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--policy", "-", "--effect", "read", "--most", "1", "--", "cat"])
    shipped = f"{rules_directory()}/policy.rules:4"
    assert capsys.readouterr().out.splitlines() == [
        f"cat  # read (by the posture; {shipped})",
        "# each is one example of its sort: others of it may run as well;"
        " there are more than these 1: see `--most` and `--effect`",
    ]


SAID = [
    ('prefix_rule(["touch"])', "touch", ["touch x  # read, write (anywhere; /a.rules:1)"]),
    (
        'prefix_rule(["rm"], effects = ["destroy"], places = ["project", "temporary"])',
        "rm",
        ["rm x  # read, destroy (in project, temporary; /a.rules:1)"],
    ),
    (
        'prefix_rule(["git", "push"], effects = ["remote"], hosts = ["@configured"])',
        "git push",
        ["git push  # remote (at the host that the program's own settings name; /a.rules:1)"],
    ),
    (
        'posture(write = {"temporary": "allow"})',
        "touch",
        ["touch /tmp/d/x  # read, write (in temporary; /a.rules:1)"],
    ),
    (  # each path of a rule's own, but for those of other programs
        """path_rule(["./b/*", "./c/*"], modes = ["write"], decision = "allow", programs = ["rm"])
path_rule(["./d/*", "./e/*"], modes = ["write"], decision = "allow", programs = ["touch"])
path_rule(["~/f/*"], modes = ["write"], decision = "allow")""",
        "touch",
        [
            "touch d/x  # read, write (`./d/*`, `./e/*`; /a.rules:2)",
            "touch ~/f/x  # read, write (`~/f/*`; /a.rules:3)",
        ],
    ),
    (
        'prefix_rule(["npm"])',
        "npm",
        [
            "npm  # unknown (anywhere; /a.rules:1)",
            "npm run-script  # execute (anywhere; /a.rules:1)",
        ],
    ),
]


@pytest.mark.parametrize(("rule", "words", "lines"), SAID, ids=[row[0] for row in SAID])
def test_where_it_passes_and_by_which_line(rule: str, words: str, lines: list[str]) -> None:
    """No example is a made-up option, an alias, help, or a removal of nothing."""
    made = passing(side(loaded("a", rule)), tuple(words.split()), ())
    found = [f"{e.shown}  # {', '.join(e.effects)} ({where_line(e.reason)})" for e in made]
    assert not any(word in text.split() for text in found for word in (*MADE_UP, "--help", "rum"))
    assert found[: len(lines)] == lines
