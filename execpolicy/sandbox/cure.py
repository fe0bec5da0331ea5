"""Why no sandbox can be made on this machine, and what the user can do about it."""

import os

PROFILE = (
    r"abi <abi/4.0>,\ninclude <tunables/global>\n"
    r"profile bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,\n}\n"
)
"""Lets bubblewrap alone make namespaces (apparmor.d(5), "User namespaces"; Ubuntu 24.04)."""
_LOADED = "/etc/apparmor.d/bwrap"
CONTAINERS = (
    (
        "/run/.containerenv",
        "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL",
    ),
    (
        "/.dockerenv",
        "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
        "--security-opt systempaths=unconfined",
    ),
)
"""What a container leaves of itself, and the options by which it lets namespaces be made
(podman-run(1) 5.2; docs.docker.com/reference/cli/docker/container/run, 27)."""
CHECKS = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor forbids namespaces to programs without a profile: load one for bwrap, "
        f"`printf '{PROFILE}' | sudo tee {_LOADED} && sudo apparmor_parser -r {_LOADED}`, or "
        "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "this kernel forbids namespaces to users: `sysctl kernel.unprivileged_userns_clone=1`",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "this kernel allows no user namespaces: `sysctl user.max_user_namespaces=10000`",
    ),
)
EXTERNAL = (
    "if the machine itself is the sandbox, say so in your rules with "
    '`sandbox(backend = "external")`'
)


def cure(root: str = "") -> str:
    """The first cause that this machine shows, with what to do: a container, which no setting of
    the kernel inside helps, or a setting. `root` comes before each path."""
    for path, options in CONTAINERS:
        if os.path.lexists(root + path):
            return f"this container forbids namespaces: start it with `{options}`; {EXTERNAL}"
    for path, value, told in CHECKS:
        try:
            with open(root + path) as file:
                if file.read().strip() == value:
                    return told
        except OSError:
            continue
    docker = CONTAINERS[-1][1]
    return (
        f"the sandbox did not start: in a container, allow it namespaces (`{docker}`); {EXTERNAL}"
    )
