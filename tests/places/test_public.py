"""The public modules beside the top: every name is there, sorted and explained."""

import pytest

from execpolicy import places, policies
from execpolicy.model.operation import Request
from tests.documented import documented


def test_places_names_what_it_has() -> None:
    assert places.__all__ == sorted(places.__all__)
    assert dir(places) == places.__all__
    for name in places.__all__:
        value = getattr(places, name)
        assert value.__name__ == name
        assert documented(value)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        places.__getattr__("evaluate")


def test_a_policy_is_any_callable() -> None:
    def mine(request: Request) -> policies.Outcome:
        return policies.Outcome(policies.PROMPT, f"{request.tool} asks")

    assert policies.compose(policies.allow_all, mine)(policies.call("x", {})).reason == "x asks"


def test_the_page_about_paths_shows_what_happens() -> None:
    import re
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs/places.md").read_text()
    known: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec("from execpolicy.places import *", known)
        exec(block, known)
    child = known["child"]
    assert isinstance(child, places.Scope)
    refusal = child.refuse(
        places.locate("packages/web/x", "/srv/app", "write", places.Disk()), "write"
    )
    assert str(refusal) in " ".join(page.split())
