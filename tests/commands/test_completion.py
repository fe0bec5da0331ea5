"""`execpolicy completion`, in the real shells."""

from collections.abc import Iterator

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import COMMANDS, named
from execpolicy.commands.arguments import HELP
from execpolicy.commands.completion import SHELLS, script
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.render.completion_table import table
from execpolicy.hosts.install.host import HOSTS
from execpolicy.hosts.protocols import AGENTS
from tests.commands.shells import Fish, Typist, shell

Offers = Typist | Fish

DIRECTORY = ("a.rules", "b.rules_test", "c.txt", "it's mine.rules", "sub/d.rules")


@pytest.fixture(scope="module", params=SHELLS)
def typed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Offers]:
    name: str = request.param
    directory = tmp_path_factory.mktemp(name)
    for file in DIRECTORY:
        (directory / file).parent.mkdir(exist_ok=True)
        (directory / file).touch()
    with shell(name, directory) as found:
        if found is None:
            pytest.skip(f"{name} is not installed: its completion is not tried")
        yield found


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("execpolicy ", set(COMMANDS)),
        ("execpolicy un", {"undo", "uninstall"}),
        ("execpolicy help ch", {"check"}),
        ("execpolicy completion ", set(SHELLS)),
        ("execpolicy install ", set(HOSTS)),
        ("execpolicy install claude co", {"codex", "copilot"}),
        ("execpolicy hook wi", {"windsurf"}),
        ("execpolicy doctor --he", {"--help"}),
        ("execpolicy install --scope ", {"user", "project"}),
        ("execpolicy lint --explain de", {"dead", "decision"}),
        ("execpolicy lint --fix --format ", {"text", "json", "sarif", "github"}),
        ("execpolicy lint --po", {"--portable"}),
        ("execpolicy check --host ", set(AGENTS)),
        ("execpolicy check --shell z", {"zsh"}),
        ("execpolicy check --mode accept", {"acceptEdits"}),
        ("execpolicy amend --layer ", {"user", "project"}),
        ("execpolicy log --decision ", {"allow", "prompt", "forbidden"}),
        ("execpolicy init --preset c", {"careful"}),
    ],
)
def test_what_is_offered(line: str, offered: set[str], typed: Offers) -> None:
    assert typed.offers(line) == offered


@pytest.mark.parametrize("name", COMMANDS)
def test_all_options_of_a_command_are_offered(name: str, typed: Offers) -> None:
    options = {n for o in named(name).syntax().options for n in (*o.names, *HELP)} or set(HELP)
    double = {n for n in options if n.startswith("--")}
    assert {n.rstrip("=") for n in typed.offers(f"execpolicy {name} --")} == double


@pytest.mark.parametrize(
    ("line", "there", "not_there"),
    [
        ("execpolicy lint ", {"a.rules", "sub"}, {"c.txt", "b.rules_test", "claude"}),
        ("execpolicy fmt --check a", {"a.rules"}, {"c.txt"}),
        ("execpolicy diff a.rules ", {"a.rules", "sub"}, {"c.txt"}),
        ("execpolicy test ", {"b.rules_test", "sub"}, {"c.txt", "a.rules"}),
        ("execpolicy check -r ", {"a.rules", "sub"}, {"c.txt"}),
        ("execpolicy check --rules ", {"a.rules", "it's mine.rules"}, {"c.txt"}),
        ("execpolicy trust ", {"sub"}, {"a.rules", "c.txt"}),
        ("execpolicy layers --cwd ", {"sub"}, {"a.rules", "c.txt"}),
        ("execpolicy check -- en", {"env"}, {"a.rules"}),
        ("execpolicy check --no-builtin en", {"env"}, set()),
        ("execpolicy check -- no-such-program c", {"c.txt"}, {"check", "a.rules"}),
        ("execpolicy check --cwd sub -r a.rules no-such-program c", {"c.txt"}, {"check"}),
        ("execpolicy amend -- no-such-program c", {"c.txt"}, {"check"}),
        ("execpolicy log --session ", set(), {"a.rules", "c.txt", "--json"}),
        ("execpolicy check -c ", set(), {"a.rules", "c.txt", "env"}),
        ("execpolicy check -- no-such-program --", set(), {"--rules", "--help"}),
    ],
)
def test_files_and_commands(line: str, there: set[str], not_there: set[str], typed: Offers) -> None:
    plain = {offer.rstrip("/").replace("\\", "") for offer in typed.offers(line)}
    assert there - plain == set()
    assert not_there & plain == set()


def test_a_value_behind_an_equals_sign(typed: Offers) -> None:
    offered = typed.offers("execpolicy lint --format=j")
    assert {offer.removeprefix("--format=") for offer in offered} == {"json"}


def test_every_option_says_what_it_does() -> None:
    for entry in table():
        for offer in entry.offers:
            assert 4 <= len(offer.about) <= 72, (entry.name, offer)


@pytest.mark.parametrize("name", SHELLS)
def test_the_command_prints_the_script(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["completion", name]) == ExitCode.ALLOW
    assert capsys.readouterr().out == script(name)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no shell: use bash, zsh or fish"),
        (["tcsh"], "unknown shell `tcsh`: use bash, zsh or fish"),
        (["bash", "zsh"], "unexpected argument `zsh`"),
    ],
)
def test_usage_errors_are_64(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, ["completion", *arguments]) == ExitCode.USAGE
    assert says in capsys.readouterr().err
