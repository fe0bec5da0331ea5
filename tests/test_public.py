"""The public surface is what a newcomer sees, and no more."""

import execpolicy
from tests.documented import documented


def test_all_is_sorted_and_short() -> None:
    assert execpolicy.__all__ == sorted(execpolicy.__all__)
    assert len(execpolicy.__all__) <= 16


def test_all_is_what_dir_shows_and_every_name_is_there() -> None:
    assert dir(execpolicy) == execpolicy.__all__
    for name in execpolicy.__all__:
        value = getattr(execpolicy, name)
        assert value.__name__ == name
        assert documented(value)


def test_nothing_else_is_there() -> None:
    modules = {"agents", "catalogue", "commands", "engine", "language", "shell", "store"}
    public = {n for n in vars(execpolicy) if not n.startswith("_") and n != "TYPE_CHECKING"}
    values = {n for n in public if getattr(vars(execpolicy)[n], "__name__", "") == n}
    assert values <= set(execpolicy.__all__) | modules


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(execpolicy, "evaluate")
