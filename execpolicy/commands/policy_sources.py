"""What a proof compares: files, directories, revisions of git, presets, layers."""

import os
import subprocess
from collections.abc import Sequence

from execpolicy.model.errors import Diagnostic, ExecPolicyError, PolicyError, Span, printable
from execpolicy.store import loader
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import MAX_RULES_BYTES, RulesFile, read_rules, rules_in
from execpolicy.store.sources.layers import find
from execpolicy.store.sources.settings import load as load_settings
from execpolicy.support.resources import rules_directory

LAYERS, PRESET = "layers", "preset:"
_memory: dict[object, object] = {}


def load(source: str, builtin: bool = True) -> Snapshot:
    """The policy that an argument names. Raises `PolicyError` where it cannot be read whole."""
    files = _files(source)
    if source != LAYERS:
        return _strictly(files, builtin)
    snapshot = loader.load(files, builtin=builtin, memory=_memory)
    broken = tuple(d for d in snapshot.diagnostics if d.severity == "error")
    if broken:
        raise PolicyError(broken)
    return snapshot


def against(revision: str, paths: Sequence[str], builtin: bool = True) -> tuple[Snapshot, Snapshot]:
    """The policy of these files as a commit has them, and as they are now.

    A file that the commit does not have is not part of the first. A repository without any commit
    has nothing to hold to: then the policy is compared with itself.
    """
    if not _is_there("HEAD"):
        snapshot = _strictly(_present(paths), builtin)
        return snapshot, snapshot
    names = [f"{revision}:./{os.path.relpath(path)}" for path in paths]
    _git("rev-parse", "--verify", f"{revision}^{{commit}}")
    before = tuple(each for name in names for each in (_committed(name) if _is_there(name) else ()))
    return _strictly(before, builtin), _strictly(_present(paths), builtin)


def _strictly(files: tuple[RulesFile, ...], builtin: bool) -> Snapshot:
    snapshot = loader.load(files, builtin=builtin, memory=_memory)
    loader.strict(snapshot, files)
    return snapshot


def _present(paths: Sequence[str]) -> tuple[RulesFile, ...]:
    return tuple(map(_read, filter(os.path.lexists, paths)))


def _is_there(name: str) -> bool:
    try:
        return bool(_git("cat-file", "-t", name))
    except PolicyError:
        return False


def _files(source: str) -> tuple[RulesFile, ...]:
    if source == "-":
        return ()
    if source == LAYERS:
        return find(os.getcwd(), load_settings().codex).files
    if source.startswith(PRESET):
        name = source.removeprefix(PRESET)
        source = f"{rules_directory()}/presets/{os.path.basename(name)}.rules"
    if os.path.isdir(source):
        return tuple(map(_read, sorted(rules_in(source))))
    if not os.path.lexists(source) and ":" in source:
        return _committed(source)
    return (_read(os.path.abspath(source)),)


def _read(path: str) -> RulesFile:
    return read_rules("user", os.path.abspath(path), MAX_RULES_BYTES)


def _committed(source: str) -> tuple[RulesFile, ...]:
    """The rules files at `REVISION:PATH`."""
    revision, _, path = source.partition(":")
    kind = _git("cat-file", "-t", source).strip()
    if kind == b"blob":
        names = [path]
    else:
        listed = _git("ls-tree", "-z", "--name-only", source).split(b"\0")
        found = sorted(os.fsdecode(name) for name in listed if name.endswith(b".rules"))
        names = [f"{path.rstrip('/')}/{name}".lstrip("/") for name in found]
    return tuple(
        RulesFile("user", f"{revision}:{name}", _git("cat-file", "blob", f"{revision}:{name}"))
        for name in names
    )


def _git(*words: str) -> bytes:
    """What git prints. Only objects are read: no hook, filter or configured program runs."""
    command = ["git", "--no-optional-locks", *words]
    if words[-1][:1] == "-":
        raise ExecPolicyError(f"`{printable(words[-1])}` is not a revision")
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise _unread(words[-1], str(error.strerror)) from None
    if done.returncode:
        raise _unread(words[-1], os.fsdecode(done.stderr).strip().removeprefix("fatal: "))
    return done.stdout


def _unread(source: str, why: str) -> PolicyError:
    message = f"cannot read `{printable(source, 80)}`: {printable(why, 200)}"
    return PolicyError((Diagnostic("read", message, Span(source)),))
