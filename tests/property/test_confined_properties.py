"""The engine agrees with the model about both decisions, for every posture and every effect."""

from hypothesis import given, settings
from hypothesis import strategies as st

from execpolicy.engine.decide import decide
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import PrefixRule
from execpolicy.store.compiled.compiler import compile_part
from execpolicy.store.compiled.parts import assemble
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import RulesFile
from tests import model_confined as model
from tests.model_conditions import Fact
from tests.places.machine import Machine, repository

HOME, ROOT = "/home/me", "/home/me/app"
FILES = {
    **repository(f"{ROOT}/.git"),
    f"{ROOT}/src/a": "",
    f"{ROOT}/dist/x": "untracked",
    "/tmp/x": "untracked",
}
CATALOGUE = """
program("tool", "-w!write -x!execute -f!destroy -s!system -p!privilege -r!remote -n!network"
        + " -o=out!keeps -d=remove -c=source --get=url", "text*", effect = "")
place("generated", ["**/dist/*"])
place("personal", ["/home/*"])
place("control", ["**/.envrc"])
"""
EFFECTS = ("write", "execute", "network", "remote", "destroy", "system", "privilege")
PLACED = ("write", "execute", "destroy")
PLACES = ("", "project", "generated", "temporary", "personal", "system", "control", "elsewhere")


def at(*places: str) -> frozenset[str]:
    return frozenset(places)


WORDS = {
    "-w": Fact("write"),
    "-x": Fact("execute"),
    "-f": Fact("destroy"),
    "-s": Fact("system"),
    "-p": Fact("privilege"),
    "-r": Fact("remote"),
    "-n": Fact("network"),
    "-o a": Fact("write", places=at("project")),
    "-o dist/x": Fact("write", places=at("generated")),
    "-o /tmp/x": Fact("write", places=at("temporary")),
    "-o ~/x": Fact("write", places=at("personal")),
    "-o /etc/x": Fact("write", places=at("system")),
    "-o .envrc": Fact("write", places=at("project", "control")),
    '-o "$x"': Fact("write", places=at("elsewhere"), sure=False),
    "-d dist/x": Fact("destroy", places=at("generated")),
    "-d src/a": Fact("destroy", places=at("project")),
    "-d /tmp/x": Fact("destroy", places=at("temporary")),
    "-c src/a": Fact("execute", places=at("project")),
    "-c dist/x": Fact("execute", places=at("generated")),
    "-c /etc/x": Fact("execute", places=at("system")),
    "--get=https://example.com/x": Fact("network", "example.com"),
}

decisions = st.sampled_from(list(Decision))
places = st.dictionaries(st.sampled_from(PLACES[1:-1]), decisions, max_size=4).map(
    lambda said: {p: d for p, d in said.items() if d or p != "control"}  # no posture allows it
)
nothing = st.just(dict[str, Decision]())


def stated(general: Decision, places: dict[str, Decision]) -> dict[str, Decision]:
    return {"": general, **places}


tables = st.fixed_dictionaries(
    {e: st.builds(stated, decisions, places if e in PLACED else nothing) for e in EFFECTS}
)
confined = st.fixed_dictionaries({}, optional=dict.fromkeys(PLACED, places))
effects = st.lists(st.sampled_from(EFFECTS), min_size=1, max_size=3, unique=True)
rules = st.lists(
    st.builds(
        lambda decision, of, inside: (
            f'prefix_rule(["tool"], "{decision}"'
            + (f", effects = {of}".replace("'", '"') if decision == "allow" else "")
            + (", confined = True)" if inside and decision == "allow" else ")")
        ),
        st.sampled_from(("allow", "allow", "prompt", "forbidden")),
        effects,
        st.booleans(),
    ),
    max_size=2,
)


def _without_gifts(chosen: list[str]) -> list[str]:
    """Code that is given paths may do anything with these: a fact of its own, left out here."""
    code = [word for word in chosen if word[:2] == "-c"]
    return [*code, *(word for word in chosen if len(word) == 2)] if code else chosen


words = st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=3, unique=True).map(
    _without_gifts
)


def dictionary(table: "model.Table") -> str:
    """A table as a rules file writes it, but for what holds elsewhere."""
    return ", ".join(
        f'"{effect}": {{'
        + ", ".join(f'"{place}": "{d.word}"' for place, d in said.items() if place)
        + "}"
        for effect, said in table.items()
        if any(said)
    )


def posture(table: "model.Table", inside: "model.Table") -> str:
    plain = ", ".join(f'{effect} = "{said[""].word}"' for effect, said in table.items())
    text = f'posture(read = "allow", unknown = "prompt", {plain})\n'
    for effect, said in table.items():
        if len(said) > 1:
            text += f"posture({effect} = {dictionary({effect: said}).partition(': ')[2]})\n"
    return text + (
        f"posture(confined = {{{dictionary(inside)}}})\n" if any(inside.values()) else ""
    )


def snapshot_of(text: str) -> Snapshot:
    file = RulesFile("user", "t.rules", f"{CATALOGUE}\n{text}".encode())
    return assemble([compile_part([file])], ("user",)).replace(home=HOME)


@settings(max_examples=200, deadline=None)
@given(words, rules, tables, confined, st.booleans())
def test_both_decisions_are_those_of_the_model(
    chosen: list[str], lines: list[str], table: "model.Table", inside: "model.Table", undo: bool
) -> None:
    held = "sandbox(undo = True)\n" if undo else ""
    snapshot = snapshot_of(posture(table, inside) + held + "\n".join(lines)).replace(undo="/kept")
    assert not snapshot.floor, snapshot.diagnostics
    request = Request(text=f"tool {' '.join(chosen)}", cwd=ROOT)
    verdict = decide(request, snapshot, Machine(FILES, root=ROOT))
    compiled = [r for r in compile_text("\n".join(lines)).rules if isinstance(r, PrefixRule)]
    expected = model.decide(compiled, [WORDS[word] for word in chosen], table, inside, undo)
    assert (verdict.decision, verdict.confined) == expected


@given(words, rules, tables, confined, st.booleans())
def test_the_sandbox_is_never_stricter(
    chosen: list[str], lines: list[str], table: "model.Table", inside: "model.Table", undo: bool
) -> None:
    facts = [WORDS[word] for word in chosen]
    compiled = [r for r in compile_text("\n".join(lines)).rules if isinstance(r, PrefixRule)]
    decision, confined = model.decide(compiled, facts, table, inside, undo)
    assert confined <= decision
