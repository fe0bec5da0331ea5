"""The page of all values is written from what the code says now."""

from tests.pages.values import PAGE, page


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text() == page(), "run `python -m tests.pages.values`"
