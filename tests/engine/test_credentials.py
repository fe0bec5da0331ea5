"""Which key a command uses, by its entry, and why it gets none."""

import pytest

from execpolicy import Engine, Request
from execpolicy.catalogue.grammar.credentials import credentials
from execpolicy.catalogue.grammar.notation import NotationError
from execpolicy.engine.rules.credentials import ALONE, key_use, runs_more, sentence
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.written.credentials import HostsOf
from execpolicy.shell.single import Single, single

HEREDOC = "\"$(cat <<'EOF'\n## `a` $b\n\nc\nEOF\n)\""
USES = [
    # a text, and why no key is opened; None where it uses none
    ("git fetch", ""),
    ("git fetch -q origin main", ""),
    ("git -C sub ls-remote", ""),
    ("git status", None),
    ("git clone https://example.com/x", None),
    ("gh pr view 4", ""),
    ("gh pr create --fill", ""),
    ("gh pr checkout 4", None),
    ("gh pr comment 4 -F notes", ""),
    ("gh pr lock 4", ""),
    ("gh api /x --input notes", ""),
    (f"gh pr create -t x -b {HEREDOC}", ""),
    (f"gh pr create -t x -b {HEREDOC} -B {HEREDOC}", ""),
    (f"gh pr create -t x -b {HEREDOC.replace('cat', 'cat f')}", "a word of it is computed"),
    (f"gh pr create -t x -b {HEREDOC.strip(chr(34))}", "a word of it is computed"),
    (f"gh pr create -t x -b {HEREDOC} | cat", ALONE),
    ("aws s3 cp a.txt s3://b/c", "it may read a file beside the key"),
    ("aws s3 sync . s3://b", "it may read a file beside the key"),
    ("aws configure list", None),
    ("kubectl apply -f a.yaml", ""),
    ("kubectl apply -k d", "it may read a file beside the key"),
    ("kubectl exec x -- ls", None),
    ("twine upload dist/*", ""),
    ("twine upload $x", "a word of it is computed"),
    ("npm whoami", ""),
    ("npm install", "what it runs or sends is up to the project"),
    ("npm audit", None),
    ("npm ci; git fetch", ALONE),
    ("ssh host ls", ""),
    ("timeout 9 ssh -p 22 me@host 'ls; cat x | wc -l'", ""),
    ("ssh host ls; ls", ALONE),
    ("ssh host $x", "a word of it is computed"),
    ("ssh -V", None),
    ("scp a host:b", ""),
    ("scp a b", None),
    ("rsync -a a host:b", ""),
    ("rsync -a a b", None),
    ("sftp host:a b", ""),
    ("npm login", "it writes down a new key"),
    ("gh auth login", "it writes down a new key"),
    ("aws sso login", "it writes down a new key"),
    ("docker push x.example/a", "it asks a service of this machine"),
    ("docker manifest inspect x.example/a", ""),
    ("docker ps", "it asks a service of this machine"),
    ("pip3.12 index versions x", ""),
    ("uv publish dist/a.whl", ""),
    ("cargo publish", "what it runs or sends is up to the project"),
    ("cargo owner --list serde", ""),
    ("gcloud storage ls", ""),
    ("gcloud auth login", "it writes down a new key"),
    ("gcloud run deploy x", "what it runs or sends is up to the project"),
    ("az vm list", ""),
    ("az webapp up", "what it runs or sends is up to the project"),
    ("terraform state list", ""),
    ("terraform plan", "what it runs or sends is up to the project"),
    ("mysql -e 'select 1'", ""),
    ("pnpm publish ./a.tgz", ""),
    ("yarn publish a.tgz", ""),
    ("npm run build", None),
    ("true && git fetch", ALONE),
    ("timeout 5 git fetch", ""),
    ("nice -n 5 timeout -k 1 5 git fetch", ""),
    ("env LC_ALL=C command git fetch", ""),
    ("env -i git fetch", ALONE),
    ("env -C x git fetch", ALONE),
    ("/tmp/timeout 5 git fetch", None),
    ("sudo git fetch", ALONE),
    ("timeout 5 bash -c 'git fetch'", ALONE),
    ("GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat git fetch", ""),
    ("GIT_PAGER=./x git fetch", "`GIT_PAGER` is set for it"),
    ("env GIT_SSH_COMMAND=./x git fetch", "`GIT_SSH_COMMAND` is set for it"),
    ("git fetch $x", "a word of it is computed"),
    ("X=1 git fetch", "`X` is set for it"),
    ("cat ~/.npmrc", None),
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.mark.parametrize(("text", "why"), USES)
def test_what_uses_a_key(engine: Engine, text: str, why: str | None) -> None:
    use = key_use(unwrap(Request(text=text, cwd="/"), engine.snapshot), engine.snapshot)
    assert (use is None) == (why is None)
    if use is not None and why is not None:
        assert use.refusal.startswith(why)
        assert bool(use.refusal) == bool(why)
        assert sentence(use)


def test_a_text_from_a_here_document_is_a_word(engine: Engine) -> None:
    request = Request(text=f"gh pr create -t x -b {HEREDOC}", cwd="/")
    use = key_use(unwrap(request, engine.snapshot), engine.snapshot)
    assert use is not None
    assert use.argv == ("gh", "pr", "create", "-t", "x", "-b", "## `a` $b\n\nc")


MORE = ["git -c a.b=c fetch", "git fetch --upload-pack=x", "npm --userconfig x whoami"]


@pytest.mark.parametrize("text", MORE)
def test_a_word_may_make_it_run_more(engine: Engine, text: str) -> None:
    use = key_use(unwrap(Request(text=text, cwd="/"), engine.snapshot), engine.snapshot)
    assert use is not None
    assert runs_more(use, engine.snapshot)


def test_a_project_says_nothing_about_keys(engine: Engine) -> None:
    steps = unwrap(Request(text="git fetch", cwd="/"), engine.snapshot)
    catalogue = engine.snapshot.catalogue
    known = catalogue.lookup("git")
    assert known is not None
    assert key_use(steps, engine.snapshot) is not None
    origin = known.entry.origin.replace(layer="project")
    catalogue._known["git"] = known.replace(entry=known.entry.replace(origin=origin))
    try:
        assert key_use(steps, engine.snapshot) is None
    finally:
        catalogue._known["git"] = known


def test_the_notation() -> None:
    found = credentials("file=~/a host=x host=y:8 hosts=keys set=A=b=c settings=.s apart packed=p")
    assert found is not None
    assert (found.files, found.hosts) == (("~/a",), (("x", 443), ("y", 8)))
    assert (found.hosts_of, found.variables) == ((HostsOf.KEYS,), (("A", "b=c"),))
    assert (found.settings, found.apart, found.packed) == ((".s",), True, ("p",))
    assert credentials("") is None


@pytest.mark.parametrize(
    "text",
    ["file=/etc/x", "host=x", "x", "file=~/a hosts=x", "file=~/a set=x", "file=~/a private=/x"],
)
def test_what_is_no_notation(text: str) -> None:
    with pytest.raises(NotationError, match="in credentials: "):
        credentials(text)


ERRORS, SILENT = ((2, "1"),), ((1, "/dev/null"), (2, "1"))
SINGLE: list[tuple[str, Single | None]] = [
    ("git fetch", Single("git fetch")),
    ("git 'fetch'; # x\n", Single("git 'fetch'")),
    ("git fetch 2>&1", Single("git fetch", ERRORS)),
    ("git fetch 2>&1 | tail -5 > x", Single("git fetch", ERRORS, "tail -5 > x")),
    ("git fetch >/dev/null 2>&1", Single("git fetch", SILENT)),
    ("git fetch &> /dev/null </dev/null", Single("git fetch", (*SILENT, (0, "/dev/null")))),
    ("a 1>&2", Single("a", ((1, "2"),))),
    ("x=1 a", Single("x=1 a")),
    ("a | b |& c", Single("a", rest="b |& c")),
    ("cd x && a | b", Single("a", rest="b", directory="x")),
    ("cd x; cd 'y z'\na", Single("a", directory="x/y z")),
    ("cd x && cd /y && a", Single("a", directory="/y")),
    *((text, None) for text in ("a |& b", "! a", "! a | b", "a &", "(a)", "a <<< x", "a > x")),
    *((text, None) for text in ("a 2>&1 b", "a <<X\nX\n", "a && b", "a | (b)", "a 2>&3")),
    *((text, None) for text in ("cd x || a", "cd x & a", "cd $x && a", "cd - && a", "cd x && a &")),
]


@pytest.mark.parametrize(("text", "found"), SINGLE)
def test_one_command(text: str, found: Single | None) -> None:
    assert single(text) == found
