"""Why no sandbox can be made on this machine, and what the user can do about it."""

CHECKS = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor forbids namespaces to programs without a profile: load one for bwrap "
        "(`/etc/apparmor.d/bwrap` with `userns,`), or "
        "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
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
CONTAINER = (
    "the sandbox did not start: in a container, allow it namespaces (for docker "
    "`--security-opt seccomp=unconfined --security-opt systempaths=unconfined`); if the machine "
    'itself is the sandbox, say so in your rules with `sandbox(backend = "external")`'
)


def cure() -> str:
    """The first cause that the kernel's settings show, with what to do."""
    for path, value, told in CHECKS:
        try:
            with open(path) as file:
                if file.read().strip() == value:
                    return told
        except OSError:
            continue
    return CONTAINER
