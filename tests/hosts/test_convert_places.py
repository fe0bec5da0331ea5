"""Permissions about paths and hosts as rules: no wider than allowed, as strict as refused."""

import pytest

from execpolicy.hosts.convert.convert_places import NativePlace, carry_places, of_glob
from execpolicy.hosts.convert.lists_claude import place_of
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision

ALLOW, PROMPT, FORBIDDEN = Decision


def lines(native: NativePlace) -> list[str]:
    """What is written for an entry, or why nothing is."""
    placed, left = carry_places([native])
    for one in placed:
        compile_text(one.line)
    return [*(one.line for one in placed), *(one.what for one in left)]


def short(line: str) -> str:
    for old in ("path_rule(", "network_rule(", "modes = ", "decision = ", ")"):
        line = line.replace(old, "")
    return line


@pytest.mark.parametrize(
    ("text", "decision", "wanted"),
    [
        ("Read(./.env)", FORBIDDEN, ['["./.env"], ["read"], "forbidden"']),
        ("Read(.env)", FORBIDDEN, ['["**/.env"], ["read"], "forbidden"']),
        ("Read(~/.aws/**)", FORBIDDEN, ['["~/.aws/*"], ["read"], "forbidden"']),
        ("Edit(src/**)", ALLOW, ['["./src/*"], ["write"], "allow"']),
        ("Edit(//etc/**)", FORBIDDEN, ['["/etc/*"], ["write", "remove"], "forbidden"']),
        ("Write(/docs/*.md)", PROMPT, ['["./docs/*.md"], ["write", "remove"], "prompt"']),
        ("Edit(src/*)", ALLOW, ["left out: a rule would allow all that is below, too"]),
        ("Edit(src/*)", FORBIDDEN, ['["./src/*"], ["write", "remove"], "forbidden"']),
        (
            "Read(./{a,b}.key)",
            FORBIDDEN,
            ['["./a.key"], ["read"], "forbidden"', '["./b.key"], ["read"], "forbidden"'],
        ),
        ("Read(./keys/[ab].pem)", FORBIDDEN, ['["./keys/*"], ["read"], "prompt"']),
        ("Read(./keys/[ab].pem)", ALLOW, ["left out: no rule can express it"]),
        ("Read([ab].pem)", FORBIDDEN, ["left out: no rule can express it"]),
        ("Read", ALLOW, ["left out: no rule allows all paths"]),
        ("Edit", FORBIDDEN, ['["/*", "~/*", "./*"], ["write", "remove"], "forbidden"']),
        ("Edit", PROMPT, ["left out: the posture decides about all other paths"]),
        ("WebFetch(domain:Docs.example)", ALLOW, ['"docs.example", "https", "allow"']),
        (
            "WebFetch(domain:evil.example)",
            FORBIDDEN,
            ['"evil.example", "http", "forbidden"', '"evil.example", "https", "forbidden"'],
        ),
        (
            "WebFetch(domain:*.example)",
            FORBIDDEN,
            ['"*.example", "http", "forbidden"', '"*.example", "https", "forbidden"'],
        ),
        ("WebFetch(domain:*)", FORBIDDEN, ["left out: a rule names one host"]),
        ("WebFetch(domain:a.*.example)", FORBIDDEN, ["left out: a rule names one host"]),
        ("WebFetch", ALLOW, ["left out: a rule names one host"]),
    ],
)
def test_an_entry_of_claude_code(text: str, decision: Decision, wanted: list[str]) -> None:
    native = place_of(text, decision, "settings.json", project=True)
    assert isinstance(native, NativePlace)
    assert [short(line) for line in lines(native)] == wanted


def test_a_pattern_of_which_the_directory_is_not_known_is_told() -> None:
    said = place_of("Read(/x/**)", FORBIDDEN, "settings.json", project=False)
    assert said == "settings.json: left out: which directory it is meant from is not known"


@pytest.mark.parametrize(
    ("pattern", "decision", "wanted"),
    [
        ("docs/*.md", FORBIDDEN, ["./docs/*.md", "./docs/**/*.md"]),
        ("docs/*.md", ALLOW, ["./docs/*.md"]),
        ("src/*", ALLOW, ["./src/*"]),
        ("*.env", FORBIDDEN, ["**/*.env"]),
    ],
)
def test_where_a_star_matches_slashes(pattern: str, decision: Decision, wanted: list[str]) -> None:
    native = NativePlace("write", of_glob(pattern, True) or "", decision, "opencode.json", True)
    (placed,), _ = carry_places([native])
    (rule,) = compile_text(placed.line).rules
    assert list(rule.paths) == wanted  # type: ignore[union-attr]


def test_one_unclear_refusal_leaves_the_allowed_commands() -> None:
    from execpolicy.hosts.convert.convert import Native, convert

    allowed = [Native(f"npm run t{n} *", ALLOW, "s") for n in range(17)]
    converted = convert([*allowed, Native("* --force", FORBIDDEN, "s")], lambda _: None)
    assert [(rule.words[-1], rule.exact) for rule in converted.rules] == [
        (f"t{n}", True) for n in range(17)
    ]
