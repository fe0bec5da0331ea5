"""How many examples a property is tried with: all of them with `--hypothesis-profile all`."""

from hypothesis import HealthCheck, settings

QUICK = "quick"
"""The profile of an everyday run: three of ten."""

settings.register_profile(QUICK, deadline=None, max_examples=30)
settings.register_profile("all", deadline=None, max_examples=100)


def examples(number: int, unchecked: tuple[HealthCheck, ...] = ()) -> settings:
    """So many examples in the long run. How long one takes says nothing on a busy machine."""
    share = settings().max_examples / 100
    tried = max(5, round(number * share))
    return settings(max_examples=tried, deadline=None, suppress_health_check=unchecked)
