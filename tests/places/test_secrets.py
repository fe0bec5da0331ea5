"""Who may see a key: reading of `credentials` asks, through every program, link, glob and tree."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import PrefixRule
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.policy.policy import Policy
from execpolicy.store.snapshot import Snapshot
from tests.places.machine import Machine, repository

HOME = "/home/me"
FILES = {
    **repository("/p/.git"),
    "/p/a.txt": "",
    "/p/src/main.py": "",
    "/p/notes": f"→ {HOME}/.ssh/id_rsa",
    "/p/keys": f"→ {HOME}/.ssh",
    "/dev/fd": "→ /proc/self/fd",
    "/p/through": "→ /proc/self/root",
    "/etc/shadow": "",
    "/q/a.txt": "",
    "/q/.env": "",
    f"{HOME}/.ssh/id_rsa": "",
    f"{HOME}/.ssh/id_rsa.pub": "",
    f"{HOME}/.aws/credentials": "",
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Engine.load(rules=[]).snapshot.replace(home=HOME)


def asked(snapshot: Snapshot, text: str, cwd: str = "/p") -> bool:
    verdict = decide(Request(text=text, cwd=cwd), snapshot, Machine(FILES, variables=["API_TOKEN"]))
    return verdict.decision is not Decision.ALLOW


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("comm -13 <(sort a.txt) <(sort b.txt)", False),
        ("diff <(git show HEAD:a.txt) a.txt", False),
        ("cat <(cat .env)", True),
        ("diff <(ls) .env", True),
        ('cat "$x"', True),
    ],
)
def test_a_pipe_is_no_file_that_somebody_named(snapshot: Snapshot, text: str, asks: bool) -> None:
    assert asked(snapshot, text, "/q") is asks


SHOWS = [
    "kubectl create configmap x --from-file=.ssh --dry-run=client -o yaml",
    "aws cloudformation validate-template --template-body file://.env",
    "kubectl cluster-info dump",
    "sh -n .env",
    "zsh -n .env",
    "clang-format --style=file:.env src/a.c",
    "cat ~/.ssh/id_rsa",
    'cat "$HOME/.ssh/id_rsa"',
    "cat ~me/.ssh/id_rsa",
    f"cat {HOME}/.ssh/../.ssh/id_rsa",
    "cat /home/other/.ssh/id_rsa",
    "cat ~/.SSH/ID_RSA",
    "cat .env",
    "cat config/.env.production",
    "head -3 < .env",
    "base64 ~/.aws/credentials",
    "grep KEY .env",
    "diff .env .env.example",
    "sort /etc/shadow",
    "cat /proc/1/environ",
    "cat /proc/self/root/etc/shadow",
    "tail -20 ~/.bash_history",
    # links
    "cat notes",
    "cat keys/id_rsa",
    # a change of directory
    "cd ~/.ssh && cat id_rsa",
    "env -C ~/.ssh cat id_rsa",
    # globs, of what is there and of what could be
    "cat ~/.ssh/*",
    "cat ~/.s*/id_*",
    "cat ~/.ssh/id_{rsa,dsa}",
    "cat .e*",
    "cat /etc/shado?",
    # computed
    'for f in ~/.ssh/*; do cat "$f"; done',
    "f=~/.ssh/id_rsa; cat $f",
    "d=x; cat $d/.env",
    "x=~/.ssh; cat $x/id_rsa",
    "find . -name .env -exec cat {} +",
    "find ~/.ssh -type f | xargs cat",
    "cat $(ls ~/.ssh/id_rsa)",
    "cat /proc/$$/environ",
    'while read f; do cat "$f"; done < .env.list',
    "echo .env | xargs -I% cat %",
    "find ~ -name credentials -exec cat {} +",
    "find ~/.aws -name 'cred*' -exec cat {} +",
    r"find ~/.aws -execdir cat credentials \;",
    "shopt -s dotglob; cat ~/.ssh*/*",
    'shopt -s dot"glob"; cat *',
    "shopt -s {dot,null}glob; cat *",
    "bash -O dot'glob' -c 'cat *'",
    "cat {,.e*}",
    "cat {a.txt,.e}*",
    "cat {x,config/.e*}",
    "cat {,config/.env}",
    "cpio -o <<< .env",
    "printf '.env\\0' | sort --files0-from=-",
    "clang-format --files=a.txt",
    "xz -dc --files=a.txt",
    "7z a -so x @a.txt",
    "sqlite3 -readonly file:%2E%65nv .dump",
    'sqlite3 "file:$x?mode=ro" .dump',
    "cat {,.aws/../config/.e*}",
    "cat {a.txt,$HOME/.aws/cred*}",
    "cat {a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{,/../../config/.e*}",
    "cat < {,config/.e*}",
    "printf %s $API_\\\nTOKEN",
    "cat <<< ${\\\nAPI_TOKEN}",
    "cat << E\n${\\\nAPI_TOKEN}\nE",
    # below a directory that is computed
    "x=~/.ssh; cd $x; cat *",
    "cd ~/.a*; cat credentials",
    "cd ~/.aws; cd /; cd -; cat credentials",
    'cd "$(echo ~/.ssh)"; grep -r .',
    "cd ~ && cat .npmrc",
    "cd $HOME && cat .npmrc",
    "cd ~/app/.. && cat .npmrc",
    "cd ~- && cat .npmrc",
    "cd '~' && cd ~/.aws && cat cred*",
    'cd "$x" && cat .npmrc',
    'cd "$x"; ls -a | xargs cat',
    'cd "$x"; cat $(ls -a)',
    'f() { cd "$1"; }; ls -a | xargs cat',
    'cd "$x"; for f in $(ls -a); do cat "$f"; done',
    # the end of a path tells, whatever its beginning turns out to be
    "cat $x/.npmrc",
    'cat "${HOME:-/x}"/.npmrc',
    'cat "$(dirname ~/x)"/.bash_history',
    'cat "$XDG_CONFIG_HOME/gh/hosts.yml"',
    'for f in ~/{.,x}npmrc; do cat "$f"; done',
    'for f in "$HOME"/.npmrc; do cat $f; done',
    "x=~/$'.npmrc'; cat $x",
    # by the links of a process to its root, its directory and what it has open
    "cat //proc/self/root/etc/shadow",
    "cat /proc/self/task/7/root/etc/shadow",
    "cat /proc/thread-self/../self/root/etc/shadow",
    "cd /proc/self/root/etc && cat shadow",
    "find /proc/self/root/etc -name 'shado*' -exec cat {} +",
    "cat /proc/self/cwd/.env",
    "cat /proc/7/cwd/a.txt",
    "cat /proc//7/./task/8/cwd/a.txt",
    "cat /proc/self/../7/cwd/a.txt",
    "cat /proc/7/root/a.txt",
    "cd /proc/self/cwd && cat .env",
    "cat through/etc/shadow",
    "exec 3</etc; cat /dev/fd/3/shadow",
    "cat /proc/self/fd/3/../shadow 3</etc/x",
    "cat /proc/1/fd/3",
    # what git shows of any commit
    "git cat-file -p HEAD:.env",
    "git show HEAD:config/.env",
]


@pytest.mark.parametrize("text", SHOWS)
def test_asks(snapshot: Snapshot, text: str) -> None:
    assert asked(snapshot, text)


HARMLESS = [
    "aws cloudformation validate-template --template-body file://a.txt",
    "kubectl create configmap x --from-file=src --dry-run=client -o yaml",
    "sh -n a.txt",
    "clang-format --style=file:.clang-format src/a.c",
    "cat /proc/self/cwd/a.txt",
    "ls /proc/7/cwd",
    "cat /proc/7/stat",
    "cat ~/.ssh/id_rsa.pub",
    "cat ~/.ssh/known_hosts",
    "cat .env.example",
    "cat .environment",
    "cat $x/src/main.py",
    "cat $x/config",
    'cd "$x" && cat a.txt',
    "cd ~ && cat .vimrc",
    "cat /proc/self/fd/3 3< a.txt",
    "ls -l /proc/1/fd",
    "cat /proc/self/root/p/a.txt",
    "cat src/*.py",
    "cat ?.txt",
    'for f in src/*.py; do head -3 "$f"; done',
    "find . -name '*.py' -exec cat {} +",
    "openssl x509 -in cert.pem -noout -text",
]


VARIABLES = [
    ("echo $API_TOKEN", True),
    ("echo ${API_TOKEN}", True),
    ('echo "${API_TOKEN:-x}"', True),
    ("x=$API_TOKEN; echo $x", True),
    ("for x in $API_TOKEN; do echo $x; done", True),
    ("basename $API_TOKEN", True),
    ("cat <<< $API_TOKEN", True),
    ("printenv API_TOKEN", True),
    ('git tag v1 -m "$API_TOKEN"', True),
    ("env", True),
    ("strace -v ls", True),
    ("strace ls", False),
    ("set -x; : $API_TOKEN", True),
    ("set -euxo pipefail; test -n $API_TOKEN", True),
    ("set -o xtrace; y=$API_TOKEN", True),
    ("bash -xc 'test $API_TOKEN'", True),
    (": ${NOPE:?$API_TOKEN}", True),
    ('test "$API_TOKEN" -gt 0', True),
    ('set -eu; test -n "$API_TOKEN"', False),
    ("set -x; echo $HOME", False),
    ("echo ${#API_TOKEN}", False),
    ("echo ${API_TOKEN:+set}", False),
    ('test -n "$API_TOKEN" && echo set', False),
    ("echo $HOME", False),
    ("printenv HOME", False),
    # a comparison tells it bit by bit
    ("[[ $API_TOKEN == a* ]]", True),
    ("[[ a =~ $API_TOKEN ]]", True),
    ("[[ -e x/${API_TOKEN} ]]", True),
    ('[[ -n $API_TOKEN || "$API_TOKEN" != "" || -v API_TOKEN ]]', False),
    ("case $API_TOKEN in a*) ;; esac", True),
    ("x=$API_TOKEN; case $1 in a) ;; esac", True),
    ("case $API_TOKEN in '') echo unset;; *) echo set;; esac", False),
    ('test "$API_TOKEN" = a', True),
    ('[ "$API_TOKEN" = "$(cat a.txt)" ]', True),
    ('[ -e "x/$API_TOKEN" ]', True),
    ('[ "$API_TOKEN" != "" ] && [ "x$API_TOKEN" = x ]', False),
    ("x=${API_TOKEN:0:1}", True),
    ("[[ -z ${API_TOKEN##a*} ]]", True),
    ("y=(${API_TOKEN//a/ }); echo ${#y[@]}", True),
    ("bash -c '[[ $API_TOKEN == a* ]]'", True),
    ("(( API_TOKEN == 5 ))", True),
    ("[[ $API_TOKEN -eq 5 ]]", True),
    # given to what prints it by another name, or to several at once
    ("x=$API_TOKEN printenv x", True),
    ("x=$API_TOKEN; declare -p x", True),
    ("x=$API_TOKEN env | grep ^x=", True),
    ('test -n "$API_TOKEN"; printenv HOME; env | grep ^PATH', False),
    ('f() { echo "$@"; }; f $API_TOKEN', True),
    ("f() { cat; }; f <<< $API_TOKEN", True),
    ("{ cat; cat; } <<< $API_TOKEN", True),
    ("cat /dev/fd/3 3<<< $API_TOKEN", True),
]


@pytest.mark.parametrize(("text", "asks"), VARIABLES)
def test_a_variable_with_a_secret_is_not_shown(snapshot: Snapshot, text: str, asks: bool) -> None:
    assert asked(snapshot, text) is asks


@pytest.mark.parametrize("text", HARMLESS)
def test_passes(snapshot: Snapshot, text: str) -> None:
    assert not asked(snapshot, text)


@pytest.mark.parametrize("text", ["ls -a | xargs cat", 'while read f; do cat "$f"; done < list'])
def test_a_computed_path_may_be_what_the_directory_holds(snapshot: Snapshot, text: str) -> None:
    assert asked(snapshot, text, "/q")
    assert asked(snapshot, text, "/p")  # there is a link to a key
    assert not asked(snapshot, text, "/p/src")


def test_a_glob_is_what_it_matches(snapshot: Snapshot) -> None:
    assert asked(snapshot, "cat *")  # there is a link to a key
    assert not asked(snapshot, "cat *", "/p/src")


COPIES = """
prefix_rule(["cp"])
path_rule(["/*", "~/*"], decision = "allow")
"""


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("cp -a /from/. .", True),
        ("cp -a /from/.execpolicy /p", True),
        ("cp -a /git/. .", True),
        ("cp -a /from/src .", False),
        ("cp a.txt ~/.bashrc", True),
        ("cp a.txt .git/hooks/pre-commit", True),
        ("cp a.txt b.txt", False),
    ],
)
def test_no_rule_for_a_command_lets_it_change_what_runs_later(
    snapshot: Snapshot, text: str, asks: bool
) -> None:
    compiled = compile_text(COPIES).rules
    packed = PackedRules.of([r for r in compiled if isinstance(r, PrefixRule)])
    others = [r for r in compiled if not isinstance(r, PrefixRule)]
    policy = Policy([*others, *snapshot.policy.places.rules], [*snapshot.policy.packed, packed])
    files = {**FILES, "/from/.execpolicy/rules/x.rules": "", "/from/src/a": "", "/git/.git": ""}
    verdict = decide(Request(text=text, cwd="/p"), snapshot.replace(policy=policy), Machine(files))
    assert (verdict.decision is not Decision.ALLOW) is asks


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("git log -p -- '*env'", True),
        ("git diff -- ':(top)*.env'", True),
        ("git grep KEY -- 'conf*'", True),
        ("git log -p -- '*.pem'", True),
        ("git log -p -- '*.py'", False),
        ("git diff -- 'src/*'", False),
        ("git grep x -- '*.md'", False),
    ],
)
def test_a_star_of_git_matches_slashes_and_dots(snapshot: Snapshot, text: str, asks: bool) -> None:
    files = {**FILES, "/p/conf/prod/.env": "", "/p/key.pem": ""}
    verdict = decide(Request(text=text, cwd="/p"), snapshot, Machine(files))
    assert (verdict.decision is not Decision.ALLOW) is asks
