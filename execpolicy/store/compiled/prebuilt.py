"""The shipped rules as the build of the package compiled them: read in place, never copied.

They count only for the very rules, and the very code, that they were made from. Where either was
changed since, as in a checkout under development, the rules are compiled as all others are.
"""

import os
from time import time_ns

from execpolicy.store.compiled import cache, inputs
from execpolicy.store.compiled.parts import CompiledLayers, of_data, to_data
from execpolicy.support.resources import BUILTIN, compiled, package_directory, rules_directory

SETTLED = 5_000_000_000
"""Nanoseconds that an installer may take to write the files of a package, one after the other."""


def fresh() -> tuple[str, CompiledLayers] | None:
    """The stamp and the shipped rules in place, or None where something changed since the build.

    A look at the files is enough: a change of one is later than the table, or changes its size. In
    an installed package the rules may be some seconds younger than the table, and while these are
    not over the content decides.
    """
    found = cache.open_portable(compiled(BUILTIN))
    if found is None:
        return None
    mark, value, blobs = found
    try:
        data, manifest = _pair(value)
        if not _is_untouched(manifest) and not (is_installed() and mark == inputs.stamp()):
            return None
        return mark, of_data(data, blobs)
    except (OSError, TypeError, ValueError, LookupError):
        return None


def read() -> CompiledLayers | None:
    """The shipped rules whole, or None where these are not the ones that were compiled, or damaged.

    Here the content of every file decides.
    """
    path = compiled(BUILTIN)
    found = cache.read_portable(path, inputs.stamp()) if os.path.exists(path) else None
    if found is None:
        return None
    value, blobs = found
    try:
        data, _ = _pair(value)
        return of_data(data, tuple(blobs[n] for n in range(len(blobs))))
    except (TypeError, ValueError, LookupError):
        return None


def write(checkout: bool = False) -> None:
    """Compile the shipped rules into the package. Raises `ValueError` if one has a problem.

    `checkout`: the package stays where it is, in a directory under development.
    """
    from execpolicy.store.compiled.compiler import compile_part

    part = compile_part(inputs.builtin_files())
    if part.diagnostics:
        raise ValueError("\n".join(map(str, part.diagnostics)))
    data, blobs = to_data(part)
    sizes = tuple((name, os.stat(path).st_size) for name, path in inputs.sources(code=True))
    manifest = (_place() if checkout else 0, sizes)
    cache.write_portable(compiled(BUILTIN), inputs.stamp(), (data, manifest), blobs)


def is_installed() -> bool:
    """Whether the rules are part of the package, and not beside it as in a checkout."""
    return rules_directory().startswith(package_directory())


def _place() -> int:
    """The number of the directory of the rules: a table that was copied elsewhere has another."""
    return os.stat(rules_directory()).st_ino


def _pair(value: object) -> "tuple[object, object]":
    """The part and its manifest. Raises `TypeError` or `ValueError` for anything else."""
    if not isinstance(value, tuple):
        raise TypeError("not a part with its manifest")
    data, manifest = value
    return data, manifest


def _is_untouched(manifest: object) -> bool:
    """Whether certainly no file changed since the table was made. Raises `OSError`.

    The code of an installed package is not looked at: who changes that changes what decides.
    """
    if not isinstance(manifest, tuple):
        raise TypeError("not a manifest")
    place, sizes = manifest
    installed = is_installed()
    if place != (0 if installed else _place()):
        return False
    made = os.stat(compiled(BUILTIN)).st_ctime_ns
    limit = made + SETTLED if installed else made
    known = dict(sizes)
    count = 0
    for name, path in inputs.sources(not installed):
        status = os.stat(path)
        if known.get(name) != status.st_size or status.st_ctime_ns > limit:
            return False
        count += 1
    expected = sum(n.endswith(".rules") for n in known) if installed else len(known)
    return count == expected and (not installed or time_ns() > limit)
