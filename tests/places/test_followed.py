"""Programs that follow the links of a tree read what these lead to: that is judged, too.

`src` has a link to a directory outside of the project, in which one file is a key by its name.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy import Decision, Engine

CONTENT = "s3 of the test"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with `src`, whose link leads out, and `lib`, whose links stay inside."""
    top = tmp_path_factory.mktemp("followed")
    for name in ("outside/deep/.env", "p/src/a.txt", "p/lib/b.txt", "p/.git/HEAD"):
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CONTENT if name.endswith(".env") else "s\n")
    (top / "p/src/out").symlink_to("../../outside")
    (top / "p/lib/self").symlink_to(".")
    (top / "p/lib/gone").symlink_to("nowhere")
    return top / "p"


FOLLOWING = [
    "grep -R s3 {}",
    "grep --dereference-recursive s3 {}",
    "egrep -hR s3 {}",
    "rgrep -R s3 {}",
    "rg -uuL s3 {}",
    "diff -rN {} lib",
    "diff -rN lib {}",
    "diff -rN --from-file=lib {}",
    "tar ch {}",
    "tar -cf - --dereference {}",
    "find -L {} -type f -exec cat {{}} +",
    "find -L {} -type f | xargs cat",
    "find {} -follow -type f -print0 | xargs -0 cat",
    "grep -Rl s3 {} | xargs cat",
    "cat $(find -L {} -type f)",
]
STAYING = [
    "grep -r s3 {}",
    "rg -uu s3 {}",
    "diff -r --no-dereference {} lib",
    "tar c {}",
    "find {} -type f -exec cat {{}} +",
]


@pytest.mark.parametrize("text", FOLLOWING)
def test_what_links_lead_to_is_judged(engine: Engine, project: Path, text: str) -> None:
    verdict = engine.check(text.format("src"), cwd=str(project))
    assert verdict.decision is Decision.PROMPT
    assert "deep/.env" in verdict.reason
    assert engine.check(text.format("lib"), cwd=str(project)).decision is Decision.ALLOW


@pytest.mark.parametrize("text", STAYING)
def test_links_that_are_not_followed_do_not_count(engine: Engine, project: Path, text: str) -> None:
    assert engine.check(text.format("src"), cwd=str(project)).decision is Decision.ALLOW


@pytest.mark.parametrize("text", [*FOLLOWING, *STAYING])
def test_the_programs_themselves_follow_the_same(project: Path, text: str) -> None:
    if shutil.which(text.split()[0]) is None:
        pytest.skip("not installed")
    done = subprocess.run(
        ["bash", "-c", text.format("src")],
        cwd=project,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(project)},
    )
    assert (CONTENT.encode() in done.stdout) is (text in FOLLOWING)


def test_a_link_to_all_of_the_home_has_no_bound(project: Path) -> None:
    home = project.parent / "home"
    (home / "p").mkdir(parents=True)
    (home / "p/all").symlink_to("/")
    engine = Engine.load(rules=[])
    verdict = engine.check("grep -R x .", cwd=str(home / "p"))
    assert verdict.decision is Decision.PROMPT
