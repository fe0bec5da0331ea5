"""Tables of cases: each row is read whole, or the place of what is wrong with it is told."""

from pathlib import Path

import pytest

from execpolicy.cases.tables import TableError, read


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("[]", "the line is no JSON object"),
        ('{"decision": "allow"}', "a case needs a `command`"),
        ('{"argv": 5, "decision": "allow"}', "a case needs a `command`"),
        ('{"argv": "ls", "decision": "allow"}', "a case needs a `command`"),
        ('{"argv": ["ls", 5], "decision": "allow"}', "a case needs a `command`"),
        ('{"command": "ls", "decision": ["allow"]}', "`decision` must be a text"),
        ('{"command": "ls", "decision": "allow", "because": 3}', "`because` must be a text"),
        ('{"command": "ls", "decision": "allow", "why": "x"}', "unknown column `why`"),
    ],
)
def test_a_row_that_is_no_case(row: str, message: str, tmp_path: Path) -> None:
    table = tmp_path / "table.jsonl"
    table.write_text(row + "\n")
    with pytest.raises(TableError, match=r"table\.jsonl:1") as error:
        read(str(table))
    assert message in str(error.value)


def test_a_command_is_a_text_or_words(tmp_path: Path) -> None:
    table = tmp_path / "table.jsonl"
    table.write_text(
        '{"command": "ls -l", "decision": "allow"}\n{"argv": ["a b"], "decision": "prompt"}\n'
    )
    assert [case.command for case in read(str(table))] == ["ls -l", ("a b",)]
