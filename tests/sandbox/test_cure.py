"""Where no sandbox can be made, the message says which of the causes it is, and the way out."""

from pathlib import Path

import pytest

from execpolicy.sandbox.cure import cure

APPARMOR = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
MACHINES = [
    # the files of a machine, and what the user is told
    ({APPARMOR: "1\n"}, ["profile bwrap /usr/bin/bwrap", "userns,", "apparmor_parser -r"]),
    ({APPARMOR: "0\n", "proc/sys/user/max_user_namespaces": "0\n"}, ["max_user_namespaces=10000"]),
    ({"proc/sys/kernel/unprivileged_userns_clone": "0\n"}, ["unprivileged_userns_clone=1"]),
    ({".dockerenv": "", APPARMOR: "1\n"}, ["docker run", "apparmor=unconfined", '"external"']),
    ({"run/.containerenv": ""}, ["podman run", "unmask=ALL", '"external"']),
    ({}, ["in a container", '"external"']),
]


@pytest.mark.parametrize(("files", "told"), MACHINES)
def test_the_cause_and_its_cure(tmp_path: Path, files: dict[str, str], told: list[str]) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    said = cure(str(tmp_path))
    assert [word for word in told if word not in said] == []
