"""A plan as text and as JSON."""

from execpolicy.model.errors import printable
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Mount
from execpolicy.support.json_encode import encode

WORDS = {
    "WRITE": "write",
    "PRIVATE": "private",
    "COPY": "copy",
    "READ": "read",
    "COVERED": "covered",
    "HIDDEN": "hidden",
}


def as_text(plan: "Plan", key: str = "") -> str:
    """Several lines: what runs where, each mount with its reason, limits, environment, the key."""
    lines = [
        f"runs      {printable(' '.join(plan.argv), 200)}",
        f"in        {printable(plan.cwd, 120)}",
    ]
    for mount in plan.mounts:
        wall = "pinned" if mount.pin else WORDS[mount.wall.name]
        origin = f"  [{mount.origin}]" if mount.origin else ""
        lines.append(f"{wall:9} {printable(mount.path, 120)}  ({mount.why}){origin}")
    if plan.settings.backend != "bubblewrap":
        lines.append(f"backend   {plan.settings.backend}: execpolicy makes no sandbox")
    network = "none" if plan.offline else "none but its own loopback"
    lines.append(f"network   {network}")
    lines.append(f"filter    {', '.join(_filter(plan))}")
    lines.append(f"limits    {', '.join(_limits(plan)) or 'none'}")
    if key:
        lines.append(f"key       {printable(key, 300)}")
    lines.append(f"variables {' '.join(name for name, _ in plan.environment)}")
    return "\n".join(lines) + "\n"


def _filter(plan: "Plan") -> "list[str]":
    own = plan.settings.unix and not plan.offline
    closed = ["unix sockets of others" if own else "unix sockets"]
    return [*closed, *([] if plan.settings.trace else ["tracing"]), "kernel interfaces"]


def _limits(plan: "Plan") -> "list[str]":
    names = ("time", "memory", "processes", "file_size", "temporary")
    given = ((name, getattr(plan.settings, name)) for name in names)
    return [f"{name} {value}" for name, value in given if value is not None]


def as_json(plan: "Plan", key: str = "") -> str:
    """One line of JSON."""
    settings = {f: getattr(plan.settings, f) for f in type(plan.settings).__fields__}
    fields = {
        "schema": "execpolicy.plan/1",
        "argv": plan.argv,
        "cwd": plan.cwd,
        "mounts": [_mount(mount) for mount in plan.mounts],
        "environment": dict(plan.environment),
        "settings": settings,
        "git": plan.git,
        "network": plan.network,
        "offline": plan.offline,
        "key": key or None,
    }
    return encode(fields) + "\n"


def _mount(mount: "Mount") -> "dict[str, object]":
    return {
        "path": mount.path,
        "wall": WORDS[mount.wall.name],
        "pin": mount.pin,
        "why": mount.why,
        "origin": mount.origin or None,
    }
