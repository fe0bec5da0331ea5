"""What shipped programs read of a path, and which of them show a secret or the environment."""

import shlex

import pytest

from execpolicy.catalogue import read
from execpolicy.model.operation import Access, Dynamic, Variable
from tests.catalogue.build import strongest, without_settings
from tests.catalogue.shipped import everything

ROWS = {
    "names": [
        *("ls -la {}", "stat {}", "du -sh {}", "df {}", "find {} -name x", "tree {}", "wc -l {}"),
        *(
            "realpath {}",
            "readlink -f {}",
            "file {}",
            "fd x {}",
            "git ls-files {}",
            "git status {}",
        ),
        *(
            "gunzip -l {}",
            "tokei {}",
            "cloc {}",
            "find . -newer {}",
            "touch -r {} b",
            "zipinfo {}",
            "7z l {}",
        ),
    ],
    "file": [
        *("cat {}", "head -5 {}", "tail -n5 {}", "sed -n 1p {}", "awk 1 {}", "jq . {}", "xxd {}"),
        *("od -c {}", "strings {}", "md5sum {}", "base64 {}", "sort {}", "cut -c1 {}", "less {}"),
        *("bat {}", "grep x {}", "grep -f {} b", "dd if={}", "openssl rsa -in {}", "cmp {} b"),
        *("ssh-keygen -y -f {}", "git show HEAD:{}", "git cat-file -p HEAD:{}", "git show :0:{}"),
        *("git log -L 1,5:{}", "git archive HEAD:{}", "tar xOf a.tar {}", "unzip -p a.zip {}"),
        *(
            "7z x -so a.7z {}",
            "bsdtar xOf a.tar {}",
            "unrar p a.rar {}",
            "ar p a.a {}",
        ),
        *("curl file://{}", "curl -T {} x.com", "curl -d @{} x.com", "curl -F a=@{} x.com"),
        *("curl --data-urlencode a@{} x.com", "curl -F 'a=<{}' x.com", "curl -H @{} x.com"),
        *("wget --post-file={} x.com", "scp {} h:b", "uuencode {} b", "gh gist create {}"),
        *("lolcat {}", "csvtool cat {}", "xq . {}", "rclone cat {}", "nettle-hash {}"),
        *("http POST x.com a@{}", "sqlite3 -readonly {} 'select 1'", "ffmpeg -i {}.mp4 -f null -"),
        *("git -c core.excludesFile={} check-ignore -v x", "info -f {}", "dc -f {}"),
        *("git check-mailmap --mailmap-file {} x", "caddy fmt -c {}"),
        *("ksh -n {}", "pulumi schema check {}", "amtool check-config {}"),
        *("capnp eval {} x", "rsync -n --filter='merge {}' a b"),
        *("rsync --list-only -f '. {}' a", "rsync --list-only -f :_{} a"),
        *("split {}", "cp {}.x b/", "xargs -a {} echo", "column -t {}", "grep -l x {}"),
    ],
    "including": ["git config -f {} -l", "gcc -E {}", "man -l {}", "shellcheck -x {}"],
    "tree": [
        *("grep -rl x {}", "grep -rc x {}", "diff -q {} b"),
        *("grep -r x {}", "grep -Rn x {}", "grep -d recurse x {}", "rgrep x {}", "rg -uu x {}"),
        *(
            "rg --hidden x {}",
            "rg --no-ignore x {}",
            "ag -u x {}",
        ),
        *("ack x {}", "ugrep -r x {}", "diff -r {} b", "git diff --no-index {} b", "tar cf - {}"),
        *("tar czf b.tgz {}", "zip -r b.zip {}", "7z a b.7z {}", "cp -r {} b", "cp -a {} b"),
        *(
            "rsync -a {} h:b",
            "scp -r {} h:b",
            "git grep --no-index x {}",
            "git grep --untracked x {}",
        ),
        *(
            "puppet parser dump {}",
            "kustomize cfg cat {}",
            "consul validate {}",
            "istioctl analyze {}",
        ),
        *("aws s3 sync {} s3://b", "gsutil cp -r {} gs://b", "files-to-prompt {}", "nix-hash {}"),
    ],
    "visible": [
        *("rg -g .env x {}", "rg -tsh x {}", "rg -l x {}", "ag -l x {}", "rg -c x {}"),
        *("rg x {}", "rg -n x {}", "rg -e x {}", "rg -g '*.py' x {}", "rg -tpy x {}", "ag x {}"),
        "typos {}",
    ],
    "tracked": [
        *("git grep x -- {}", "git grep -e x -- {}", "git blame {}"),
        *("git diff -- {}", "git grep -l x -- {}"),
    ],
    "history": [
        *("git diff HEAD -- {}", "git log -p -- {}", "git show HEAD -- {}", "git log -S x -- {}"),
        *("git grep x HEAD -- {}", "git stash show -p -- {}"),
    ],
    "revision": [
        *(
            "git grep x {}",
            "git grep -e x {}",
            "git diff {}",
            "git show {}",
            "svn cat {}",
            "hg cat {}",
        )
    ],
}


def extents(line: str) -> set[tuple[str, str]]:
    causes = read(tuple(shlex.split(line)), everything()[0]).effects
    subjects = [cause.subject for cause in causes]
    return {
        (s.path if isinstance(s.path, str) else s.path.source, s.extent)
        for s in subjects
        if isinstance(s, Access) and s.mode == "read"
    }


@pytest.mark.parametrize(
    ("line", "extent"), [(line, extent) for extent, rows in ROWS.items() for line in rows]
)
def test_how_much_is_read(line: str, extent: str) -> None:
    path = line[line.index("{}") :].split("'")[0].split()[0].replace("{}", "/k/id").rstrip("/")
    found = extents(line.replace("{}", "/k/id"))
    assert (path, extent) in found
    assert {each for at, each in found if at == path} == {extent}


@pytest.mark.parametrize(
    ("line", "extent"),
    [
        *((f"{each} x", "tree") for each in ("grep -r", "rgrep", "rg -u", "ag -u", "ack")),
        *((f"{each} -n x", "tracked") for each in ("git grep", "git grep -l")),
        *(
            (each, "history")
            for each in ("git diff HEAD", "git show", "git log -p", "git status -v")
        ),
        *(
            (each, "history")
            for each in ("git grep x HEAD", "git diff HEAD -- :!a", "git log -S x")
        ),
        *((each, "staged") for each in ("git diff", "git diff --color")),
        *((f"{each} x", "visible") for each in ("rg", "rg -n", "ag", "rg -e")),
    ],
)
def test_a_search_without_a_path_reads_the_working_directory(line: str, extent: str) -> None:
    assert (":/" if extent == "history" else ".", extent) in extents(line)


@pytest.mark.parametrize(
    ("revision", "objects"), [("0badcafe", {"0badcafe"}), ("main", set()), ("bad", set())]
)
def test_in_front_of_paths_only_the_name_of_an_object_shows_one(
    revision: str, objects: set[str]
) -> None:
    found = extents(f"git diff {revision} -- src")
    assert found == {("src", "history"), *((each, "revision") for each in objects)}


@pytest.mark.parametrize(
    "line",
    [
        *("grep x", "rg --files", "ls", "git status", "git stash show", "git cat-file -p HEAD"),
        *(
            "git log --oneline -- /k/id",
            "git diff --stat /k/id",
            "git cat-file -t HEAD:a",
        ),
        *("printf x", "[ -f /k/id ]", "test -e /k/id", "basename /k/id", "chmod 600 /k/id"),
    ],
)
def test_what_shows_no_content(line: str) -> None:
    assert {extent for _, extent in extents(line)} <= {"names"}


def test_a_pattern_of_members_may_be_any_of_them() -> None:
    causes = read(("unzip", "-p", "a.zip", "*.env"), everything()[0]).effects
    assert Access(Dynamic("*.env"), "read") in [cause.subject for cause in causes]


SHOWS = {
    "secret": [
        *("git cat-file --batch", "ps auxe", "ps e", "history", "systemctl show-environment"),
        *("launchctl getenv TOKEN", "docker config inspect c", "docker compose config"),
        *("terraform output -json", "terraform output -raw x", "tofu show -json"),
    ],
    "privilege": [
        *(
            "git credential fill",
            "gh auth token",
            "gh auth status -t",
            "pass show x",
            "op read op://a",
        ),
        *("security find-generic-password -w -s x", "secret-tool lookup a b", "vault kv get x"),
        *("aws configure get aws_secret_access_key", "gcloud auth print-access-token"),
        *("npm config get //x/:_authToken", "kubectl get secret -o yaml", "heroku config"),
        *("kubectl config view --raw", "gpg --export-secret-keys", "bw get password x"),
    ],
    "environment": [
        *("printenv", "env", "env A=b", "export", "export -p", "declare -p", "set"),
        "envsubst",
    ],
    "read": [
        *(
            "printenv HOME",
            "env -i A=b",
            "set -e",
            "gh auth status",
            "aws s3 ls",
            "ps aux",
            "ps -ef",
        ),
        *("terraform output", "docker compose config --services", "kubectl get secrets"),
        *(
            "aws configure get region",
            "declare -f",
            "kubectl config view",
            "ssh-keygen -l -f a.pub",
        ),
    ],
}


@pytest.mark.parametrize(
    ("line", "effect"), [(line, effect) for effect, rows in SHOWS.items() for line in rows]
)
def test_who_shows_a_secret(line: str, effect: str) -> None:
    reading = without_settings(read(tuple(shlex.split(line)), everything()[0]))
    assert strongest(reading) == effect
    shown = any(cause.secret or cause.subject == Variable() for cause in reading.effects)
    assert shown == (effect != "read")


@pytest.mark.parametrize("line", ["printenv TOKEN", "declare -p TOKEN"])
def test_a_variable_is_handed_on_by_its_name(line: str) -> None:
    reading = read(tuple(line.split()), everything()[0])
    assert Variable("TOKEN") in [cause.subject for cause in reading.effects]


@pytest.mark.parametrize(
    ("line", "writes"),
    [
        *(
            (f"{each} /dev/null", False)
            for each in ("tee", "curl x.com -o", "wget -O", "sort a -o", "iconv a -o")
        ),
        *((f"{each} /dev/null", True) for each in ("gpg -o", "rsync a", "git bundle create")),
        *((f"{each} /dev/null", True) for each in ("pg_dump -f", "cp a", "mv a")),
        ("dd if=a of=/dev/null", False),
        ("strace -o /dev/null ls", False),
    ],
)
def test_only_what_is_opened_as_it_is_leaves_a_device_alone(line: str, writes: bool) -> None:
    subjects = [c.subject for c in read(tuple(line.split()), everything()[0]).effects]
    written = {s.path for s in subjects if isinstance(s, Access) and s.mode == "write"}
    assert ("/dev/null" in written) == writes
