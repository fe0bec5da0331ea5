"""What every stage needs and no policy is about: values, JSON, directories, data files."""

import sys
from _collections_abc import Mapping


def lazy_attribute(package: str, homes: "Mapping[str, str]", name: str) -> object:
    """The value of a package's name, from the module below `execpolicy` in whose names it is.

    `name:other` is for a value that the module has under another name. The package keeps the
    value. Raises `AttributeError` for a name that is not in `homes`.
    """
    for home, names in homes.items():
        for word in names.split():
            public, _, other = word.partition(":")
            if public == name:
                module = __import__(f"execpolicy.{home}", fromlist=[other or name])
                value: object = getattr(module, other or name)
                setattr(sys.modules[package], name, value)
                return value
    raise AttributeError(f"module `{package}` has no attribute `{name}`")
