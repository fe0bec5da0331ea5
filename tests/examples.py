"""How many examples a property is tried with.

An everyday run tries some. `--hypothesis-profile all` tries all of those that are invented, and the
marker `rest` all of those that the rules files have.
"""

import pytest
from hypothesis import HealthCheck, settings

QUICK = "quick"
"""The profile of an everyday run: a quarter, the same ones each time."""

_UNCHECKED = (HealthCheck.filter_too_much, HealthCheck.too_slow)
"""How fast examples are found depends on the machine."""

settings.register_profile(
    QUICK, deadline=None, max_examples=25, suppress_health_check=_UNCHECKED, derandomize=True
)
settings.register_profile(
    "all", deadline=None, max_examples=100, suppress_health_check=_UNCHECKED, derandomize=False
)


def examples(number: int, unchecked: tuple[HealthCheck, ...] = ()) -> settings:
    """So many examples in the long run. How long one takes says nothing on a busy machine."""
    share = settings().max_examples / 100
    tried = max(5, round(number * share))
    return settings(
        max_examples=tried, deadline=None, suppress_health_check=(*_UNCHECKED, *unchecked)
    )


def seeds(everyday: int, all_of_them: int) -> pytest.MarkDecorator:
    """Gives a test the argument `seed`: the first ones each day, the others with the marker."""
    rest = (pytest.param(n, marks=pytest.mark.rest) for n in range(everyday, all_of_them))
    return pytest.mark.parametrize("seed", [*range(everyday), *rest])


def sampled(step: int) -> pytest.MarkDecorator:
    """Gives a test the argument `step`, by which it goes through a list."""
    every = pytest.param(1, id="all", marks=pytest.mark.rest)
    return pytest.mark.parametrize("step", [pytest.param(step, id="some"), every])
