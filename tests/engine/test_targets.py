"""A path that a rule names is seen in every spelling."""

import pytest

from execpolicy.engine.paths.targets import Places, matching_paths, possible_paths, starts
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.model.rule import Origin, PathRule
from execpolicy.policy.path_index import PathIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Mode

ORIGIN = Origin("user", "a.rules", 1)
HOME = "/home/me"
MINE = PathRule(("~/.config/tool/*",), ("write",), Decision.PROMPT, None, ORIGIN)
HOOKS = PathRule(("**/.tool/hooks/*",), ("write",), Decision.PROMPT, None, ORIGIN)
ROOTS = PathRule(("/", "/usr"), ("remove",), Decision.FORBIDDEN, None, ORIGIN)


def spoken(path: Word, *directories: Word, rule: PathRule = MINE) -> bool:
    places = starts(HOME, directories)
    return bool(matching_paths(PathIndex([rule]), Access(path, "write"), places))


@pytest.mark.parametrize(
    "path",
    [
        "~/.config/tool/a",
        "/home/me/.config/tool/a",
        "~/.config/../.config//tool/./a",
        "~/.CONFIG/Tool/a",
        "/proc/self/root/home/me/.config/tool/a",
        Dynamic("$HOME/.config/tool/a"),
        Dynamic("~me/.config/tool/a"),
        Dynamic("~/.config/to\\ol/a"),
        Dynamic("~/$'.config'/tool/a"),
    ],
)
def test_spellings(path: Word) -> None:
    assert spoken(path)


@pytest.mark.parametrize(
    ("directories", "path"),
    [
        (("~/.config/tool",), "a"),
        (("~", ".config"), "tool/a"),
        (("~", ".config", "tool"), "a"),
        ((Dynamic("$HOME/.config/tool"),), "a"),
        (("/home/me/.config/tool",), Dynamic("~+/a")),
        (("/home/me",), "/proc/self/cwd/.config/tool/a"),
    ],
)
def test_directories_that_a_text_changes_to(directories: tuple[Word, ...], path: Word) -> None:
    assert spoken(path, *directories)


@pytest.mark.parametrize(
    ("path", "mode", "spoken"),
    [
        ("~/.config", "remove", True),
        ("~/.config", "write", True),  # a directory that is copied there brings one
        ("~", "remove", True),
        ("~", "write", False),
        ("~/.config/other", "write", False),
        ("src/.tool", "remove", True),
        (".tool", "write", True),
        ("tool", "remove", False),
        (".", "write", False),
    ],
)
def test_directories_that_hold_a_path(path: str, mode: "Mode", spoken: bool) -> None:
    rules = [rule.replace(modes=("write", "remove")) for rule in (MINE, HOOKS)]
    assert bool(matching_paths(PathIndex(rules), Access(path, mode), Places(HOME))) is spoken


@pytest.mark.parametrize("mode", ["write", "remove"])
@pytest.mark.parametrize("path", ["~/.config", "src/.tool", ".tool", "."])
def test_a_rule_that_allows_a_path_allows_no_directory_that_holds_it(
    path: str, mode: "Mode"
) -> None:
    rules = [
        rule.replace(modes=("write", "remove"), decision=Decision.ALLOW) for rule in (MINE, HOOKS)
    ]
    assert matching_paths(PathIndex(rules), Access(path, mode), Places(HOME, ("/p",))) == []


def test_a_rule_that_allows_knows_the_home() -> None:
    allowing = MINE.replace(decision=Decision.ALLOW)
    assert spoken(Dynamic("~/.config/tool/a"), rule=allowing)
    for source in (
        "~/.config/$x",
        "~/.config/tool/*",
        "~me/.config/tool/a",
        "$HOME/.config/tool/a",
    ):
        assert not spoken(Dynamic(source), rule=allowing), source


def test_a_rule_that_allows_is_strict() -> None:
    allowing = MINE.replace(decision=Decision.ALLOW)
    assert spoken("~/.config/tool/a", rule=allowing)
    assert not spoken("~/.CONFIG/tool/a", rule=allowing)


@pytest.mark.parametrize(
    ("rule", "path", "possible"),
    [
        (MINE, "~/.config/t*/a", True),
        (MINE, "~/.config/$x/a", True),
        (MINE, "~/.config/tool/$x", True),
        (MINE, "~/.cache/$x", False),
        (MINE, "~/$x", True),
        (MINE, "/home/$x", True),
        (MINE, "$x", True),
        (MINE, "$PWD/a", False),
        (MINE, "./$x", False),
        (MINE, "*.py", False),
        (MINE, "*/x", False),
        (MINE, "build/$x", False),
        (HOOKS, "$x", True),
        (HOOKS, "src/.tool/$x", True),
        (HOOKS, ".tool/hooks/$x.sh", True),
        (HOOKS, ".tool/h*", True),
        (HOOKS, "src/tool/$x", False),
        (ROOTS, "/us*", True),
        (ROOTS, "/usr/local/x/*.o", False),
        (ROOTS, "/tmp/$x", False),
    ],
)
def test_what_a_computed_path_may_be(rule: PathRule, path: str, possible: bool) -> None:
    access = Access(Dynamic(path), rule.modes[0])  # type: ignore[arg-type]
    assert bool([*possible_paths(PathIndex([rule]), access, Places(HOME))]) is possible


ALLOWED = PathRule(("note*",), ("write",), Decision.ALLOW, None, ORIGIN)


@pytest.mark.parametrize(
    ("path", "is_named"),
    [
        ("notes", True),
        ("/x/note", True),
        ("~/notes/a", False),
        ("a/notes", True),
        ("/note/a", False),
    ],
)
def test_a_bare_name_with_a_star_is_in_any_directory(path: Word, is_named: bool) -> None:
    assert spoken(path, rule=ALLOWED) is is_named
