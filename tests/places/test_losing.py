"""What a write or a move loses that nothing brings back, and what it does not lose."""

import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.places.blind import Blind
from execpolicy.places.disk import Disk
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine, repository

HOME = "/home/me"
ROOT = f"{HOME}/app"
FILES = {
    **repository(f"{ROOT}/.git"),
    f"{ROOT}/kept.txt": "unchanged",
    f"{ROOT}/src/a.py": "unchanged",
    f"{ROOT}/src/changed.py": "changed",
    f"{ROOT}/notes.txt": "untracked",
    f"{ROOT}/pieceab": "untracked",
    f"{ROOT}/piece00": "untracked",
    f"{ROOT}/other.txt": "untracked",
    f"{ROOT}/empty.txt": "",
    f"{ROOT}/drafts/a.txt": "untracked",
    f"{ROOT}/build/x.o": "untracked",
    f"{ROOT}/node_modules/m/i.js": "untracked",
    "/tmp/scratch": "untracked",
}
ALLOW, PROMPT, _ = Decision


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    path = f"{presets_directory()}/developer.rules"
    return Engine.load(rules=[path]).snapshot.replace(home=HOME, undo="")


def judged(snapshot: Snapshot, text: str) -> Verdict:
    files = {f: "untracked" if f.endswith("empty.txt") else t for f, t in FILES.items()}
    machine = Emptied(files, root=ROOT)
    return decide(Request(text=text, cwd=ROOT, shell="bash"), snapshot, machine)  # noqa: S604


class Emptied(Machine):
    """The machine where one untracked file holds nothing."""

    def head(self, path: str) -> str:
        return "" if path.endswith("empty.txt") else super().head(path)


LOST = [
    *("split kept.txt piece", "csplit -f piece kept.txt 3"),
    *(": > notes.txt", "> notes.txt", "echo x > notes.txt", "echo x >| notes.txt"),
    *("echo x &> notes.txt", "echo x >& notes.txt", "cat kept.txt > ./src/../notes.txt"),
    *("for f in notes.txt; do : > $f; done", "f=notes.txt; echo x > $f", "ls 2> notes.txt"),
    *("cp /dev/null notes.txt", "cp kept.txt notes.txt", "cp -f kept.txt notes.txt"),
    *("cp src/notes.txt .", "cp -t . src/notes.txt", "cp -r src/notes.txt other.txt"),
    *("mv other.txt notes.txt", "mv kept.txt notes.txt", "git mv -f kept.txt notes.txt"),
    *("dd of=notes.txt", "dd if=kept.txt of=notes.txt bs=1", "truncate -s0 notes.txt"),
    *("truncate --size=0 notes.txt", "echo x | tee notes.txt", "echo x | tee a notes.txt"),
    *("install kept.txt notes.txt", "ln -f kept.txt notes.txt", "ln -sf kept.txt notes.txt"),
    *("rsync kept.txt notes.txt", "sort kept.txt -o notes.txt", "sort notes.txt > notes.txt"),
    *(
        "awk '{print > \"notes.txt\"}' kept.txt",
        "sed -n 'w notes.txt' kept.txt",
        "uniq kept.txt notes.txt",
    ),
    *(
        "sed 's/a/b/w notes.txt' kept.txt",
        "find . -fprint notes.txt",
        "git diff --output=notes.txt",
    ),
    *("xxd -r kept.txt notes.txt", "find src -fprintf notes.txt %p"),
    *("dd if=kept.txt of=notes.txt conv=notrunc,sync", "cat < kept.txt 1<> notes.txt"),
    *(
        "cp --backup=off kept.txt notes.txt",
        "mv -n -f kept.txt notes.txt",
        "cp -i kept.txt notes.txt",
    ),
    *("iconv -f latin1 kept.txt -o notes.txt", "git bundle create notes.txt HEAD"),
    *("unix2dos -n kept.txt notes.txt", "objcopy kept.txt notes.txt", "gunzip -f notes.txt.gz"),
    *("ffmpeg -y -i a.mp4 notes.txt", "python3 -m zipfile -c notes.txt src"),
    *("tar czf notes.txt src", "git archive -o notes.txt HEAD", "convert kept.txt notes.txt"),
    *(
        "git shortlog --output=notes.txt HEAD",
        "cpp a notes.txt",
    ),
    *("pandoc kept.txt -o notes.txt", "pdftotext a.pdf notes.txt"),
    *("sponge notes.txt < kept.txt", "ln notes.txt build/n && : > build/n"),
    *("ln -s ../notes.txt build/n; echo x > build/n", "cp -l notes.txt build/n; : > build/n"),
    *("bash -c 'echo x > notes.txt'", "echo $(: > notes.txt)", "cd src && : > ../notes.txt"),
]
MOVED = [
    *("mv drafts build", "mv notes.txt build/", "mv notes.txt build/n", "mv drafts /tmp/d"),
    *("mv notes.txt node_modules/", "mv -t build notes.txt", "mv src/changed.py build/"),
    *("mv src build", "mv src build && rm -rf build", "mv *.txt build", "mv notes.txt /tmp"),
    *("mv notes.txt a && mv a build/", "mv drafts d2; mv d2 /tmp/", "cd src && mv ../drafts /tmp"),
    *("git mv src/changed.py build/", "mv notes.txt kept.txt build/"),
    *("mv -f drafts/a.txt kept.txt && rm kept.txt", "mv src/changed.py src/a.py; rm -f src/a.py"),
]


@pytest.mark.parametrize("text", [*LOST, *MOVED])
def test_what_nothing_brings_back_asks(developer: Snapshot, text: str) -> None:
    verdict = judged(developer, text)
    assert (verdict.decision, verdict.confined) == (PROMPT, PROMPT)
    assert any("destroy" in m.effects for j in verdict.judged for m in j.matches)


KEPT = [
    *("split kept.txt new.", "split -d kept.txt build/y"),
    *("echo x > new.txt", "echo x > kept.txt", "echo x >> notes.txt", "echo x > src/changed.py"),
    *("echo x > empty.txt", "echo x > build/x.o", "echo x > /tmp/scratch", "cp kept.txt new.txt"),
    *("cp notes.txt kept.txt", "cp -n kept.txt notes.txt", "cp -b kept.txt notes.txt"),
    *("cp --backup=numbered kept.txt notes.txt", "mv -n other.txt notes.txt", "cp kept.txt src"),
    *("mv -S .bak other.txt notes.txt", "rsync --ignore-existing kept.txt notes.txt"),
    "echo x | tee -a notes.txt",
    *("mv -n -t src kept.txt", "mv -f kept.txt new.txt", "cp -l kept.txt new.txt"),
    *("sort notes.txt -o notes.txt", "sed -i s/a/b/ notes.txt", "touch notes.txt"),
    *("objcopy notes.txt", "dos2unix notes.txt", "zip notes.txt kept.txt", "flock notes.txt ls"),
    *("chmod +x notes.txt", "mv notes.txt notes.bak && echo x > notes.txt", "mv build b2"),
    *("echo x > a; echo y > a", "mv notes.txt docs.txt", "mv drafts lib", "mv build/x.o /tmp/x"),
    *("mv kept.txt build/", "mv src/a.py /tmp/a.py", "echo x > t; mv t build/", "mv build /tmp/b"),
    *("mv /tmp/scratch build/", "cp notes.txt build/", "cp -r drafts /tmp/d", "ls < notes.txt"),
    *("mv kept.txt src/a.py build/", "awk '{print >> \"notes.txt\"}' kept.txt"),
]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_kept_or_made_again_is_a_write(developer: Snapshot, text: str) -> None:
    verdict = judged(developer, text)
    assert (verdict.decision, verdict.confined) == (ALLOW, ALLOW)


def test_a_rule_for_writing_is_none_for_what_is_lost(tmp_path: object) -> None:
    preset, path = f"{presets_directory()}/developer.rules", f"{tmp_path}/u.rules"
    with open(path, "w", encoding="utf-8") as file:
        file.write('prefix_rule(["cp"], effects = ["write", "read"], places = ["project"])\n')
    snapshot = Engine.load(rules=[preset, path]).snapshot.replace(home=HOME)
    assert judged(snapshot, "cp kept.txt new.txt").decision is ALLOW
    assert judged(snapshot, "cp kept.txt notes.txt").decision is PROMPT


def test_without_a_look_at_the_disk_nothing_is_known_to_be_lost(developer: Snapshot) -> None:
    request = Request(text="echo x > notes.txt", cwd=ROOT, shell="bash")  # noqa: S604
    assert decide(request, developer, Blind()).decision is ALLOW


def ignoring(top: Path) -> str:
    """A repository with a file that it ignores, and that another branch has."""
    script = """
    git init -q -b main . && git config user.email a@example.org && git config user.name a
    echo '*.log' > .gitignore && git add . && git commit -qm 1 && git switch -qc other
    mkdir d && echo 1 > x.log && echo 1 > d/y && git add -f . && git commit -qm 2
    git switch -q main && git update-ref refs/remotes/origin/far other && git branch same
    git update-ref refs/remotes/up/stream/near other
    git branch followed && git config branch.followed.remote .
    git config branch.followed.merge refs/heads/other
    for n in 1 2 3 4 5 6 7 8 9; do
      git branch b$n $(git commit-tree -m $n -p main main^{tree})
      git branch t$n $(git commit-tree -m $n $(echo "100644 blob $(echo $n |
        git hash-object -w --stdin)	n$n" | git mktree))
    done
    """
    subprocess.run(["bash", "-ec", script], cwd=top, check=True)
    return str(top)


@pytest.mark.parametrize(
    ("text", "there", "decision"),
    [
        ("git switch other", "x.log", PROMPT),
        ("git switch other", "d", PROMPT),  # a file where the branch has a directory
        ("git switch other", "z.log", ALLOW),
        ("git switch same", "x.log", ALLOW),
        ("git switch -", "x.log", PROMPT),
        ("git switch far", "x.log", PROMPT),
        ("git switch -c new", "x.log", ALLOW),
        ("git switch -c new other", "x.log", PROMPT),
        ("git switch --detach other", "x.log", PROMPT),
        ("git checkout other", "x.log", PROMPT),
        ("git checkout -b new other", "x.log", PROMPT),
        ("git checkout -b new", "x.log", ALLOW),
        ("git merge other", "x.log", PROMPT),
        ("git rebase other", "x.log", PROMPT),
        ("git cherry-pick other", "x.log", PROMPT),
        ("git merge b1 b2 b3 b4 b5 b6 b7 b8 b9", "x.log", ALLOW),
        ("git merge b1 b2 b3 b4 b5 b6 b7 b8 other", "x.log", PROMPT),
        ("git merge t1 t2 t3 t4 t5 t6 t7 t8 t9", "x.log", PROMPT),  # too many to look at
        ("git switch stream/near", "x.log", PROMPT),
        ("git cherry-pick same..other", "x.log", PROMPT),
        ("git cherry-pick other..same", "z.log", ALLOW),
        ("git merge ':/2'", "x.log", PROMPT),
        ("git switch -q followed && git merge", "x.log", ALLOW),  # of the branch that it is on now
        ("git merge nosuch", "x.log", ALLOW),
        ("git merge", "x.log", ALLOW),
        ("git stash -u", "x.log", ALLOW),  # they lie in the stash then
    ],
)
def test_git_writes_over_what_it_ignores(
    developer: Snapshot, tmp_path: Path, text: str, there: str, decision: Decision
) -> None:
    top = ignoring(tmp_path)
    (tmp_path / there).write_text("mine")
    request = Request(text=text, cwd=top, root=top)
    assert decide(request, developer, Disk(os.environ["PATH"])).decision is decision
