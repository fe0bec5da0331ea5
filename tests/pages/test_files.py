"""The page of all files is written from what they say now, and each says something."""

from tests.pages.files import PAGE, ROOT, files, page, says, sentence


def test_the_page_is_what_the_files_say() -> None:
    assert PAGE.read_text() == page(), "run `python -m tests.pages.files`"


def test_each_file_says_what_it_is() -> None:
    told = filter(says, files())
    silent = [str(file.relative_to(ROOT)) for file in told if len(sentence(file)) < 10]
    assert not silent
