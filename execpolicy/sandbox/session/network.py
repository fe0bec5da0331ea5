"""The network of a session: nothing but a loopback, which all its runs of a moment share.

It is entered between fork and exec, in a user namespace of its own in which bubblewrap then makes
that of the run. No process keeps it: the first run makes it, each later one enters that of a run
that still lasts, and it is gone with the last.
"""

import os
from time import sleep

from execpolicy.sandbox.kernel import call
from execpolicy.sandbox.session.directory import ALONE, RUNS
from execpolicy.support import processes

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
"""CLONE_NEWUSER and CLONE_NEWNET of clone(2)."""
NS_GET_USERNS = 0xB701
"""ioctl_ns(2): the user namespace that owns a network."""
INET, DATAGRAM, SET_FLAGS, UP = 2, 2, 0x8914, 1
"""AF_INET, SOCK_DGRAM, SIOCSIFFLAGS and IFF_UP (netdevice(7))."""
LOCK = "lock"
TRIES, PAUSE = 400, 0.005


def enter(session: str, shares: str) -> bool:
    """Enter the network of a session, or make it; whether this process is in it now.

    Only runs with the same `shares` are in one network: they may use the proxies of each other.
    Where the kernel refuses, the run gets a network of its own.
    """
    try:
        lock = os.open(os.path.join(session, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            return _locked(lock) and _enter(os.path.join(session, RUNS), shares)
        finally:
            os.close(lock)
    except OSError:
        return False


def left(session: str, process: int) -> None:
    """Forget a run that has ended, by the number that its process had."""
    runs = os.path.join(session, RUNS)
    try:
        for name in os.listdir(runs):
            if name.startswith(f"{process}-") and not processes.lives(_process(name)):
                os.unlink(os.path.join(runs, name))
    except OSError:
        return


def _locked(lock: int) -> bool:
    for _ in range(TRIES):
        try:
            os.lockf(lock, os.F_TLOCK, 0)
        except BlockingIOError:
            sleep(PAUSE)
        else:
            return True
    return False


def _enter(runs: str, shares: str) -> bool:
    """Join a run that lasts, else begin; and be found by those that come."""
    others = sorted(name for name in os.listdir(runs) if not name.startswith(ALONE))
    if not any(_joined(runs, name) for name in others if name.endswith(f"-{shares}")):
        begin()
    own = os.path.join(runs, f"{processes.own_name()}-{shares}")
    made = os.open(own, os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.close(made)
    return True


def _process(name: str) -> str:
    """The process of a run, of which the name goes on with what it shares."""
    return name.rpartition("-")[0]


def _joined(runs: str, name: str) -> bool:
    """Enter the network of a run; False where it has ended."""
    try:
        network = os.open(f"/proc/{name.partition('-')[0]}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        network = -1
    if not processes.lives(_process(name)):  # looked at again now that the network is held
        os.unlink(os.path.join(runs, name))
        return False
    if network < 0:
        return False
    owner = call("ioctl", network, NS_GET_USERNS)
    call("setns", owner, NEW_USER)
    call("setns", network, NEW_NETWORK)
    return True


def begin(more: int = 0) -> None:
    """Make a network that this process is in, with a user namespace that owns it, and `more`
    namespaces, as flags of clone(2).

    Raises `OSError` where the kernel refuses.
    """
    user, group = os.geteuid(), os.getegid()
    call("unshare", NEW_USER | NEW_NETWORK | more)
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        opened = os.open(f"/proc/self/{file}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(opened, text.encode())
        finally:
            os.close(opened)
    raise_loopback()


def raise_loopback() -> None:
    """Have the loopback of the network that this process is in carry something."""
    device = call("socket", INET, DATAGRAM, 0)
    call("ioctl", device, SET_FLAGS, b"lo".ljust(16, b"\0") + UP.to_bytes(2, "little") + bytes(22))
    os.close(device)
