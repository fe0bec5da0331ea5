"""Codex's approvals, as tables of what its sources say."""

import pytest

from execpolicy import Decision
from execpolicy.approvals.codex import (
    AskingPolicy,
    Forbidden,
    NeedsApproval,
    Skip,
    default_requirement,
    first_attempt,
    host_decision,
    keys,
    patch_safety,
    requirement,
    retry,
    settled,
)
from execpolicy.approvals.codex.attempt import Denial
from execpolicy.approvals.codex.banned import BANNED
from execpolicy.approvals.codex.heuristics import dangerous, known_safe
from execpolicy.approvals.codex.keys import KeyedCall, SessionCache
from execpolicy.approvals.codex.patch import Patch
from execpolicy.approvals.codex.quote import join
from execpolicy.approvals.codex.requirement import Requirement, ShellCall, allow
from execpolicy.approvals.codex.split import heredoc_command, split
from execpolicy.language.compile import compile_text
from execpolicy.model.approval import ASK, REFUSE
from execpolicy.model.errors import ExecPolicyError
from execpolicy.policy.policy import Policy

SPLITS = [
    ("ls", [["ls"]]),
    ("ls -la && cat x | wc -l; pwd", [["ls", "-la"], ["cat", "x"], ["wc", "-l"], ["pwd"]]),
    ("ls\npwd\n", [["ls"], ["pwd"]]),
    ("ls &&\n\npwd", [["ls"], ["pwd"]]),
    ("ls;", [["ls"]]),
    ("echo 'a b' \"c d\"e'f'", [["echo", "a b", "c def"]]),
    ("echo '' \"\"", [["echo", "", ""]]),
    ('echo "a\\b"', [["echo", "a\\b"]]),
    ("echo a=b x=", [["echo", "a=b", "x="]]),
    ("git commit -m 'é ✓'", [["git", "commit", "-m", "é ✓"]]),
]
NOT_SPLIT = [
    "",
    " ",
    "ls > x",
    "ls &",
    "ls |& cat",
    "ls &&",
    "&& ls",
    "ls ;; ls",
    "; ls",
    "(ls)",
    "{ ls; }",
    "! ls",
    "if a; then b; fi",
    "for x in a; do b; done",
    "echo $x",
    "echo $(ls)",
    "echo `ls`",
    'echo "$x"',
    'echo "a\\"b"',
    "echo *.py",
    "echo a?",
    "echo ~",
    "echo a\\ b",
    "echo a#b",
    "ls # x",
    "X=1 ls",
    "X+=1 ls",
    "'git' push",
    '"git" push',
    "g'i't push",
    "123 x",
    "[ -f x ]",
    "[[ -f x ]]",
    "echo =x",
    "echo ''\"\"",
    "echo 'a",
    'echo "a',
    "export A=b",
    "echo {a,b}",
    "cat <<X\nX",
    "a <(b)",
]


@pytest.mark.parametrize(("script", "commands"), SPLITS)
def test_plain_scripts_are_taken_apart(script: str, commands: list[list[str]]) -> None:
    found = split(["bash", "-lc", script])
    assert [list(command) for command in found.commands] == commands
    assert not found.whole
    assert not found.partly


@pytest.mark.parametrize("script", NOT_SPLIT)
def test_everything_else_stays_one_command(script: str) -> None:
    found = split(["bash", "-lc", script])
    if found.partly:
        assert "<<" in script
    else:
        assert found.commands == (("bash", "-lc", script),)


@pytest.mark.parametrize(
    ("argv", "whole"),
    [
        (["bash", "-lc", "ls"], False),
        (["/bin/zsh", "-c", "ls"], False),
        (["/opt/homebrew/bin/bash", "-c", "ls"], False),
        (["/tmp/bash", "-c", "ls"], True),
        (["dash", "-c", "ls"], True),
        (["bash", "-xc", "ls"], True),
        (["bash", "-c", "ls", "x"], True),
        (["ls"], True),
    ],
)
def test_only_these_shells_and_flags_are_shells(argv: list[str], whole: bool) -> None:
    assert split(argv).whole is whole


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("python3 <<'PY'\nprint(1)\nPY", ("python3",)),
        ("python3 - a <<PY\nprint(1)\nPY\n", ("python3", "-", "a")),
        ("cat <<-E\n\tx\n\tE", ("cat",)),
        ("cat <<E\n$(ls)\nE", ()),
        ("cat <<'E'\n$(ls)\nE", ("cat",)),
        ("cat <<'E' > x\na\nE", ()),
        ("cat <<'E' && ls\na\nE", ()),
        ("cat <<'E'\na\nE\nls", ()),
        ("cat <<'E'\na", ()),
        ("cat <<< x", ()),
        ("ls; cat <<E\nE", ()),
    ],
)
def test_one_command_with_a_heredoc(script: str, command: tuple[str, ...]) -> None:
    assert heredoc_command(script) == command


SAFE = [
    "ls -la",
    "/tmp/x/cat a",
    "base64 a",
    "find . -name x",
    "rg x",
    "sed -n 5p a",
    "sed -n 2,5p",
    "bash -lc ls",
    "tac a",
]
UNSAFE = [
    "git status",
    "base64 -o x",
    "base64 --output=x",
    "find . -delete",
    "find . -exec x",
    "rg --pre x",
    "rg -z x",
    "sed 5p a",
    "sed -n 5d a",
    "sed -n 5 a",
    "sed -n xp a",
    "sed -n 5,xp a",
    "sed -n ٣p a",
    "sed -n 1,2,3p a",
    "sed -n 5p a b",
    "touch x",
]


@pytest.mark.parametrize("command", [*SAFE, *UNSAFE])
def test_what_is_known_to_read_only(command: str) -> None:
    assert known_safe(command.split()) is (command in SAFE)


DANGEROUS = [
    ["rm", "-rf", "x"],
    ["/bin/rm", "x", "-f"],
    ["rm", "--force", "x"],
    ["sudo", "rm", "-fr", "x"],
    ["bash", "-lc", "ls && rm -rf x"],
    ["bash", "-c", "if true; then rm -f $x; fi"],
    ["bash", "-lc", "echo $(rm -rf x)"],
]
HARMLESS = [
    ["rm", "x"],
    ["rm", "-r", "x"],
    ["rm", "--", "-f"],
    ["sudo", "-n", "rm", "-rf", "x"],
    ["bash", "-lc", "echo 'rm -rf x'"],
    ["bash", "-lc", "$rm -rf x"],
    ["git", "push", "-f"],
]


@pytest.mark.parametrize("argv", [*DANGEROUS, *HARMLESS], ids=str)
def test_what_is_dangerous(argv: list[str]) -> None:
    assert dangerous(argv) is (argv in DANGEROUS)


def required(
    command: str, policy: str, kind: str = "restricted", permissions: str = "use_default"
) -> Requirement:
    argv = tuple(command.split()) if " && " not in command else ("bash", "-lc", command)
    return requirement(ShellCall(argv, permissions), Policy(), AskingPolicy.parse(policy), kind)


NEVER_SET = "approval required by policy, but AskForApproval is set to Never"
NO_SANDBOX = "approval required by policy, but AskForApproval::Granular.sandbox_approval is false"
REJECTED = "`rm -rf x` rejected: blocked by policy"


@pytest.mark.parametrize(
    ("command", "policy", "permissions", "found"),
    [
        ("ls", "never", "require_escalated", Skip(False, ("ls",))),
        ("rm -rf x", "never", "use_default", Forbidden(REJECTED)),
        ("make", "never", "require_escalated", Skip(False, ("make",))),
        ("make", "on-failure", "require_escalated", Skip(False, ("make",))),
        ("make", "on-request", "use_default", Skip(False, ("make",))),
        ("make", "on-request", "require_escalated", NeedsApproval(None, ("make",))),
        ("ls", "on-request", "with_additional_permissions", NeedsApproval(None, ("ls",))),
        ("ls", "unless-trusted", "require_escalated", Skip(False, ("ls",))),
        ("make", "unless-trusted", "use_default", NeedsApproval(None, ("make",))),
        ("ls && make", "unless-trusted", "use_default", NeedsApproval(None, ("make",))),
        (
            "make",
            "granular:sandbox_approval=false",
            "require_escalated",
            Forbidden(NO_SANDBOX),
        ),
        ("make", "reject:sandbox_approval=true", "require_escalated", Forbidden(NO_SANDBOX)),
        ("make", "granular:rules=false", "require_escalated", NeedsApproval(None, ("make",))),
    ],
)
def test_who_is_asked(command: str, policy: str, permissions: str, found: Requirement) -> None:
    assert required(command, policy, "restricted", permissions) == found


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("make", Skip(True)),
        ("/usr/bin/make", Skip(True)),  # a rule for the bare name matches the path it is found at
        ("/p/make", Skip(False, ("/p/make",))),  # which is not one of those that are listed
    ],
)
def test_a_rule_matches_the_program_that_a_path_names(program: str, found: Requirement) -> None:
    rules = 'prefix_rule(["make"])\nhost_executable(name = "make", paths = ["/usr/bin/make"])'
    policy, asking = Policy(compile_text(rules).rules), AskingPolicy.parse("on-request")
    command = ShellCall((program,), "use_default")

    def absolute(name: str) -> str | None:
        return name if name.startswith("/") else None

    assert requirement(command, policy, asking, "restricted", absolute) == found
    without = requirement(command, policy, asking, "restricted")
    assert without == (Skip(True) if program == "make" else Skip(False, (program,)))


@pytest.mark.parametrize("kind", ["unrestricted", "external"])
def test_leaving_no_sandbox_asks_nobody(kind: str) -> None:
    assert required("make", "on-request", kind, "require_escalated") == Skip(False, ("make",))
    assert required("make", "unless-trusted", kind) == NeedsApproval(None, ("make",))


@pytest.mark.parametrize(
    ("argv", "prefix", "offered"),
    [
        (["cargo", "install", "x"], ("cargo", "install"), ("cargo", "install")),
        (["python3", "-c", "1"], ("python3", "-c"), ("python3", "-c", "1")),
        (["python3", "-c", "1"], ("python3", "-c", "1"), ("python3", "-c", "1")),
        (["bash", "-c", "make && rm -f x"], ("make",), ("make",)),
        (["bash", "-c", "rm -f x && make"], ("make",), ("rm", "-f", "x")),
        (["make"], (), ("make",)),
        (["bash", "-c", "make <<E\nE"], ("make",), None),
    ],
)
def test_the_prefix_that_is_offered(
    argv: list[str], prefix: tuple[str, ...], offered: tuple[str, ...] | None
) -> None:
    command = ShellCall(tuple(argv), "use_default", prefix)
    found = requirement(command, Policy(), AskingPolicy("unless-trusted"), "restricted")
    assert found == NeedsApproval(None, offered)


def test_the_longest_and_last_rule_gives_the_reason() -> None:
    rules = [
        allow(("npm",)).replace(decision=Decision.FORBIDDEN, justification=why)
        for why in ("first", "second")
    ]
    command = ShellCall(("npm", "publish"))
    found = requirement(command, Policy(rules), AskingPolicy("on-request"), "restricted")
    assert found == Forbidden("`npm publish` rejected: second")


def test_the_sandbox_is_left_only_if_rules_allow_every_command() -> None:
    both = [allow(("cat",)), allow(("make",))]
    command = ShellCall(("bash", "-lc", "cat x && make"))
    asking = AskingPolicy("on-request")
    assert requirement(command, Policy(both), asking, "restricted") == Skip(True)
    assert requirement(command, Policy(both[:1]), asking, "restricted") == Skip(False)


@pytest.mark.parametrize("text", ["sometimes", "never:rules=false", "granular:x=false", ""])
def test_unknown_policies_are_refused(text: str) -> None:
    with pytest.raises(ExecPolicyError):
        AskingPolicy.parse(text)


@pytest.mark.parametrize(
    ("policy", "kind", "found"),
    [
        ("never", "restricted", Skip()),
        ("on-failure", "restricted", Skip()),
        ("on-request", "restricted", NeedsApproval()),
        ("on-request", "external", Skip()),
        ("unless-trusted", "external", NeedsApproval()),
        (
            "granular:sandbox_approval=false",
            "restricted",
            Forbidden("approval policy disallowed sandbox approval prompt"),
        ),
    ],
)
def test_a_tool_without_a_requirement_of_its_own(
    policy: str, kind: str, found: Requirement
) -> None:
    assert default_requirement(AskingPolicy.parse(policy), kind) == found


@pytest.mark.parametrize(
    ("permissions", "found", "denied", "sandboxed"),
    [
        ("use_default", Skip(True), False, False),
        ("use_default", Skip(True), True, True),
        ("require_escalated", NeedsApproval(), False, False),
        ("require_escalated", NeedsApproval(), True, True),
        ("with_additional_permissions", Skip(False), False, True),
    ],
)
def test_the_first_attempt(
    permissions: str, found: Requirement, denied: bool, sandboxed: bool
) -> None:
    assert first_attempt(permissions, found, denied) is sandboxed


SHELL = Denial("shell", host="h")


@pytest.mark.parametrize(
    ("denial", "policy", "outcome"),
    [
        (SHELL, "never", "stands"),
        (SHELL, "on-request", "stands"),
        (SHELL, "granular:sandbox_approval=false", "stands"),
        (SHELL, "on-failure", "asks, without"),
        (SHELL, "unless-trusted", "asks, without"),
        (SHELL.replace(asked=True), "unless-trusted", "silent, without"),
        (SHELL.replace(asked=True, one_shot=True), "unless-trusted", "asks, without"),
        (SHELL.replace(asked=True, strict_review=True), "unless-trusted", "asks, without"),
        (SHELL.replace(denied_reads=True), "unless-trusted", "stands"),
        (SHELL.replace(escalates=False), "unless-trusted", "stands"),
        (SHELL.replace(network="decision without a host"), "unless-trusted", "stands"),
        (SHELL.replace(network="host"), "on-request", "asks, without"),
        (SHELL.replace(network="host", denied_reads=True), "on-request", "asks, inside"),
        (SHELL.replace(network="host"), "never", "stands"),
        (SHELL.replace(tool="apply_patch"), "on-request", "asks, without"),
    ],
)
def test_after_the_sandbox_refused(denial: Denial, policy: str, outcome: str) -> None:
    found = retry(denial, AskingPolicy.parse(policy), "restricted")
    if found is None:
        assert outcome == "stands"
        return
    asks = "asks" if found.asks_again else "silent"
    assert outcome == f"{asks}, {'inside' if found.sandboxed else 'without'}"


@pytest.mark.parametrize(
    ("patch", "policy", "word"),
    [
        (Patch(), "never", "auto"),
        (Patch(), "unless-trusted", "ask"),
        (Patch(platform_sandbox=False), "on-request", "ask"),
        (Patch(platform_sandbox=False), "never", "reject"),
        (Patch(platform_sandbox=False, sandboxed=False), "on-request", "auto"),
        (Patch(writable=False), "on-request", "ask"),
        (Patch(writable=False), "never", "reject"),
        (Patch(empty=True), "on-request", "reject"),
    ],
)
def test_patches(patch: Patch, policy: str, word: str) -> None:
    assert patch_safety(patch, AskingPolicy.parse(policy)).word == word


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (Patch(empty=True), "empty patch"),
        (Patch(writable=False), "writing outside of the project"),
        (Patch(writable=False, any_root=False), "writing is blocked by read-only sandbox"),
    ],
)
def test_why_a_patch_is_refused(patch: Patch, why: str) -> None:
    found = patch_safety(patch, AskingPolicy.parse("never"))
    assert (found.reason or "").startswith(why)


@pytest.mark.parametrize(
    ("policy", "refuses"),
    [
        ("never", True),
        ("on-request", False),
        ("granular:sandbox_approval=false", True),
        ("granular:rules=false", False),
    ],
)
def test_whose_questions_about_the_sandbox_are_refusals(policy: str, refuses: bool) -> None:
    assert AskingPolicy.parse(policy).refuses_sandbox is refuses
    # A flag counts under `granular` alone.
    flagged = AskingPolicy("on-request", sandbox_approval=False)
    assert not flagged.refuses_sandbox


@pytest.mark.parametrize(
    ("policy", "asks"),
    [
        ("never", False),
        ("on-request", True),
        ("granular:sandbox_approval=false", True),
        ("granular:rules=false", False),
    ],
)
def test_whether_what_a_rule_asks_is_put_to_the_user(policy: str, asks: bool) -> None:
    assert AskingPolicy.parse(policy).asking.rule == (ASK if asks else REFUSE)
    assert AskingPolicy("on-request", rules=False).asking.rule == ASK


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["bash", "-lc", "ls"], ["zsh", "-c", "ls"], True),
        (["bash", "-lc", "ls"], ["ls"], True),
        (["bash", "-lc", "ls > x"], ["bash", "-c", "ls > x"], False),
        (["bash", "-lc", "ls && pwd"], ["zsh", "-lc", "ls && pwd"], True),
        (["bash", "-lc", "ls && pwd"], ["bash", "-lc", "ls  && pwd"], False),
    ],
)
def test_keys_of_commands(one: list[str], other: list[str], same: bool) -> None:
    found = [keys(KeyedCall("shell", tuple(argv), "/w")) for argv in (one, other)]
    assert (found[0] == found[1]) is same


def test_a_key_names_all_that_an_approval_is_about() -> None:
    more = {"network": True}
    shell = KeyedCall("shell", ("ls",), "/w", "require_escalated", more, environment="e")
    key = {
        "command": ["ls"],
        "cwd": "/w",
        "sandbox_permissions": "require_escalated",
        "additional_permissions": more,
    }
    assert keys(shell) == ({"environment": "e", **key},)
    assert keys(shell.replace(tool="unified_exec", tty=True)) == ({**key, "tty": True},)
    host = KeyedCall("network", host="A.Example", protocol="https", port=443)
    named = {"host": "a.example", "protocol": "https", "port": 443}
    assert keys(host) == ({"environment": "local", **named},)
    patch = KeyedCall("apply_patch", paths=("a", "b"))
    assert keys(patch) == tuple({"environment": "local", "path": path} for path in "ab")
    assert keys(patch.replace(one_shot=True)) == ()


def test_two_answers_for_single_keys_answer_a_joint_request() -> None:
    cache = SessionCache()
    for key in "ab":
        assert cache.settle([key], lambda: "approved_for_session")[0]
    assert cache.settle(["a", "b"], lambda: "denied") == (False, "approved_for_session")
    assert cache.settle(["a", "c"], lambda: "denied") == (True, "denied")


@pytest.mark.parametrize(
    ("answer", "allowed", "session"),
    [
        ("approved", True, None),
        ("approved_for_session", True, "approved"),
        ("amend deny", False, "denied"),
        ("denied", False, None),
        ("timed_out", False, None),
    ],
)
def test_hosts(answer: str, allowed: bool, session: str | None) -> None:
    found = host_decision("on-request", "workspace-write", None, lambda: answer)
    assert (found.allowed, found.asked, found.session) == (allowed, True, session)


def test_an_answer_that_is_not_known_refuses() -> None:
    assert not settled("whatever").runs
    assert settled("approved").runs


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["a", "b-c_d.e/f:g@h"], "a b-c_d.e/f:g@h"),
        (["a b", ""], "'a b' ''"),
        (["a=b", "x,y"], "'a=b' 'x,y'"),
        (["it's"], '"it\'s"'),
        (["$x `y`"], "'$x `y`'"),
        (["a'$"], "\"a'\"'$'"),
        (["^x"], "'^x'"),
        (["a\\b"], '"a\\\\b"'),
    ],
)
def test_words_are_quoted_as_there(words: list[str], line: str) -> None:
    assert join(words) == line


PREFIXES = """
bash; bash -c; bash -lc; /bin/bash; /bin/bash -c; /bin/bash -lc; sh; sh -c; sh -lc; /bin/sh
/bin/sh -c; /bin/sh -lc; zsh; zsh -c; zsh -lc; /bin/zsh; /bin/zsh -c; /bin/zsh -lc; dash; dash -c
fish; fish -c; ksh; ksh -c; cmd; cmd /c; cmd /k; cmd.exe; cmd.exe /c; cmd.exe /k; powershell
powershell -Command; powershell -EncodedCommand; powershell -File; powershell -c; powershell.exe
powershell.exe -Command; powershell.exe -EncodedCommand; powershell.exe -File; powershell.exe -c
pwsh; pwsh -Command; pwsh -EncodedCommand; pwsh -File; pwsh -c; pwsh -e; pwsh -ec; pwsh -f; python
python -; python -c; python3; python3 -; python3 -c; py; py -3; pythonw; pyw; pypy; pypy3; node
node -e; nodejs; nodejs -e; perl; perl -e; ruby; ruby -e; lua; lua -e; julia; julia -e; bun; bun -e
bun run; deno; deno eval; php; php -r; npm run; pnpm run; yarn run; Rscript; osascript; env; sudo
git; rm
"""


def test_the_prefixes_that_codex_never_offers() -> None:
    listed = PREFIXES.replace("\n", ";").split(";")
    assert {tuple(each.split()) for each in listed if each.strip()} == BANNED
