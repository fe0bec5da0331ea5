"""Links that another run puts in the way while this one starts."""

import os
from pathlib import Path

import pytest

from execpolicy.sandbox import box, running
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.sandbox.scan.opened import opened
from tests.sandbox.test_execute import sandbox


def test_a_path_is_opened_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/end").symlink_to("sub")
    os.close(opened(f"{tmp_path}/real/sub"))
    for path in ("link", "link/sub", "real/end", "missing"):
        with pytest.raises(OSError, match=r"link|directory"):
            opened(f"{tmp_path}/{path}")


def test_a_link_in_the_place_of_a_pinned_directory_opens_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project.parent))
    outside = project.parent / ".outside"  # which is seen inside, as settings of programs are
    (outside / ".husky").mkdir(parents=True)
    (project / "sub/.husky").mkdir(parents=True)
    snapshot = sandbox(project).engine.snapshot
    text = f"echo x > {outside}/x"
    job = box.prepared(snapshot, box.Wanted(GitUse(), box.shell_words(text), str(project)))
    assert str(project / "sub") in [mount.path for mount in job.plan.mounts if mount.pin]
    (project / "sub").rename(project / "away")
    (project / "sub").symlink_to("../.outside")
    with pytest.raises(NoSandboxError, match="cannot be prepared"):
        running.run(job, forward=False)
    assert (outside / ".husky").is_dir()  # what was there before is nobody's plant
    assert not (outside / "x").exists()
