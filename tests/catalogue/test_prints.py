"""What the shipped entries say of outputs: `plain`, `number`, `path` and `input` have to hold."""

import shlex

import pytest

from execpolicy.catalogue.reading.read import read
from tests.catalogue import shipped

PRINTS = [
    ("wc -l", "number"),
    ("uniq", "input"),
    ("uniq -c", ""),  # a number before each line
    ("wc -l --files0-from=list", ""),  # the names of files
    ("date +%s", "number"),
    ("date -d yesterday +%F", "time"),
    ("date -d 1960-01-01 +%s", "integer"),  # -315619200
    ("date -r a +%s", "integer"),
    ("date -v-7d +%F", "time"),
    ("date -v-1H +%FT%TZ", "time"),
    ("date -v-1H +%s", "number"),
    ("date -v-1d -v-5000y +%F", ""),
    ("date -d '1 hour ago' +%s", "number"),
    ("date -u -d '-3 days' +%FT%TZ", "time"),
    ("date -d '5000 years ago' +%F", ""),
    ("date +%s000", "number"),
    ("date -u +%Y-%m-%dT%H:%M:%SZ", "time"),
    ("go env GOROOT", "path"),
    ("go env GOFLAGS", ""),
    ("npm root -g", "path"),
    ("npm prefix", ""),  # whatever `--prefix` says
    ("readlink -f a", "path"),
    ("readlink a", ""),
    ("readlink -m a", ""),  # nothing has to be there
    ("realpath -qm a", ""),
    ("realpath a", "path"),
    ("realpath --relative-to=b a", ""),
    ("xcode-select -p", "path"),
    ("git merge-base --all HEAD main", "word"),
    ("git merge-base -h", ""),  # usage
    ("git rev-parse --short HEAD", "plain"),
    ("git rev-parse HEAD --all", ""),
    ("git rev-parse -- -x", ""),
    ("git rev-list -5 HEAD", "word"),
    ("git rev-list --boundary a..b", ""),  # -NUMBER
    ("grep -c x", "number"),
    ("egrep -c x", "plain"),
    ("rgrep -c x", ""),  # searches the directory and prints names
    ("grep -n x a", "numbered"),
    ("grep -n x a b", ""),  # names of files
    ("grep -nr x a", ""),
    ("grep -n -A2 x a", ""),
    ("grep -c x a", "number"),
    ("grep -cl x a", "files"),  # the name of the file
    ("grep -c -L x a", ""),
    ("grep -l x", "files"),  # or `(standard input)`
    ("cut -d: -f1", "colon"),
    ("cut -f 1 -d :", "colon"),
    ("cut -d: -f2", ""),
    ("cut -d, -f1", ""),
    ("cut -d: -f1 --complement", ""),
    ("cut -d: -f1 a", ""),
    ("stat -c %s a", "number"),
    ("stat -c %Y a", "integer"),
    ("stat -c %n a", ""),
    ("seq 1 5", "integer"),
    ("seq -s x 1 5", ""),
    ("seq a", ""),
    ("id -u", "number"),
    ("git rev-list --count HEAD", "number"),
    ("git rev-list --count --left-right a...b", ""),
    ("git log -1 --format=%H", "word"),
    ("git log -1 --format=%ct -- a", "integer"),
    ("git log --format=%H -5 main..HEAD", "word"),
    ("git log --format=%H --name-only", ""),
    ("git log --format=%H --graph", ""),
    ("git log --format=%s", ""),
    ("git show --format=%H", ""),
    ("tr -d x", "less"),
    ("tr -cd 0-9", "number"),
    ("tr -cd 0-9a", ""),
    ("tr -c 0-9 x", ""),
    ("sysctl -n hw.ncpu", "number"),
    ("jq length a", "integer"),
    ("jq .length a", ""),
    ("pwd", "path"),
    ("head -2", "input"),
    ("sed -n 2p", "input"),
    ("sed -n 2,5p", "input"),
    ("sed -n 2p a", ""),
    ("sed -n s/a/b/p", ""),
    ("sed --debug -n 2p", ""),  # the script
    ("sed 2p", ""),
    ("git branch --show-current", "one"),
    ("git branch -q", ""),
    ("git branch --format=%(refname)", ""),
    ("git rev-parse --abbrev-ref HEAD", "one"),
    ("git rev-parse --abbrev-ref HEAD main", ""),
    ("git rev-parse --abbrev-ref x", ""),
    ("git symbolic-ref --short HEAD", "one"),
    ("head -v", ""),  # a headline
    ("tail -v", ""),
    ("head -2 a", ""),
    ("sort -rn", "input"),
    ("sort a", ""),
    ("find . -name '*.py'", "files"),
    ("find . -printf x", ""),
    ("find . -exec cat {} +", ""),
    ("ls -t", "files"),
    ("ls -lt", ""),  # links with what they say
    ("ll", ""),
    ("find . -fprintf /dev/stdout x", ""),
    ("git diff --name-only -U5", ""),
    ("fd -e py", "files"),
    ("fd --format x", ""),
    ("rg -l x", "files"),
    ("rg x", ""),
    ("git ls-files '*.py'", "files"),
    ("git ls-files --format=x", ""),
    ("git diff --name-only HEAD", "files"),
    ("git diff HEAD", ""),
]


@pytest.mark.parametrize(("command", "prints"), PRINTS)
def test_what_is_printed(command: str, prints: str) -> None:
    assert read(tuple(shlex.split(command)), shipped.everything()[0]).prints == prints
