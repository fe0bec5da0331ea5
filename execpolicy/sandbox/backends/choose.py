"""The backend that rules name."""

from execpolicy.sandbox.backends.backend import Backend


def load(name: str) -> "Backend":
    """The backend that rules name: `bubblewrap`, `external` or `none`."""
    if name == "bubblewrap":
        from execpolicy.sandbox.backends.bubblewrap import Bubblewrap

        return Bubblewrap()
    from execpolicy.sandbox.backends.unconfined import Unconfined

    return Unconfined(name)
