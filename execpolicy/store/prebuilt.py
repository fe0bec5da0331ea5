"""The shipped rules as the build of the package compiled them, so that no first start has to.

They count only for the very rules, and the very code, that they were made from. Where either was
changed since, as in a checkout that somebody works in, the rules are compiled as all others are.
"""

import os

from execpolicy.resources import BUILTIN, compiled, package_directory
from execpolicy.store import cache, digest, loader
from execpolicy.store.parts import Part, of_data, to_data

_CODE = ("catalogue", "language")  # what turns a rules text into an entry


def read() -> Part | None:
    """The shipped rules, or None where these are not the ones that were compiled, or damaged."""
    path = compiled(BUILTIN)
    found = cache.read_portable(path, stamp()) if os.path.exists(path) else None
    if found is None:
        return None
    value, blobs = found
    try:
        return of_data(value, tuple(blobs[n] for n in range(len(blobs))))
    except (TypeError, ValueError, LookupError):
        return None


def write() -> None:
    """Compile the shipped rules into the package. Raises `ValueError` if one has a problem."""
    from execpolicy.store.compiler import compile_part

    part = compile_part(loader.builtin_files())
    if part.diagnostics:
        raise ValueError("\n".join(map(str, part.diagnostics)))
    cache.write_portable(compiled(BUILTIN), stamp(), *to_data(part))


def stamp() -> str:
    """The digest of all that the compiled rules depend on, the same on every machine."""
    parts = loader.contents(loader.builtin_files())
    for room in _CODE:
        directory = os.path.join(package_directory(), room)
        for name in sorted(n for n in os.listdir(directory) if n.endswith(".py")):
            with open(os.path.join(directory, name), "rb") as file:
                parts += [f"{room}/{name}".encode(), file.read()]
    return digest.of_parts(parts)
