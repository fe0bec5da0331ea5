"""The page of all messages is written from what the code says now."""

from pathlib import Path

from tests.pages.messages import PAGE, messages, page


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text() == page(), "run `python -m tests.pages.messages`"


def test_what_is_put_into_a_text_is_left_open(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""A docstring of four words."""\n'
        'WHY = "no more than a name"\n'
        'NAME = "two words"\n'
        "def f(path): return f'`{path}` is not a  plain path'\n"
    )
    assert [*messages(module)] == ["no more than a name", "`…` is not a plain path"]
