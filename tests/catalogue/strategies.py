"""Random grammars and argvs that have a chance to fit them."""

from hypothesis import strategies as st

from tests.catalogue.model import KINDS, Grammar, Option, Shape

_NAMES = (("-a", "--alpha"), ("-b", "--alpine"), ("-c",), ("--beta",), ("-d", "--betamax"))
_EFFECTS = ("", "", "write", "execute", "network")

counts = st.sampled_from((0, 0, 0, 1, 1, -1, 2))
kinds = st.sampled_from(sorted(KINDS))


def _options(present: tuple[bool, ...], data: list[tuple[int, str, str]]) -> tuple[Option, ...]:
    return tuple(
        Option(names, *datum)
        for names, here, datum in zip(_NAMES, present, data, strict=True)
        if here
    )


options = st.builds(
    _options,
    st.tuples(*[st.booleans()] * len(_NAMES)),
    st.lists(
        st.tuples(counts, kinds, st.sampled_from(_EFFECTS)),
        min_size=len(_NAMES),
        max_size=len(_NAMES),
    ),
)


@st.composite
def operands(draw: st.DrawFn) -> tuple[tuple[str, str], ...]:
    """Operand tokens, of which at most one repeats."""
    tokens = draw(st.lists(st.tuples(kinds, st.sampled_from(("", "", "?"))), max_size=3))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(tokens)))
        tokens.insert(at, (draw(kinds), draw(st.sampled_from("*+"))))
    return tuple(tokens)


@st.composite
def shapes(draw: st.DrawFn, names: tuple[str, ...]) -> Shape:
    needs = draw(st.sets(st.sampled_from(names), max_size=2)) if names else set()
    return Shape(
        draw(st.sampled_from(("", "read", "write system"))), tuple(sorted(needs)), draw(operands())
    )


@st.composite
def _grammars(draw: st.DrawFn) -> Grammar:
    chosen = draw(options)
    names = tuple(name for option in chosen for name in option.names)
    forms = draw(st.lists(shapes(names), max_size=2))
    last = Shape(draw(st.sampled_from(("read", "", "privilege"))), (), draw(operands()))
    return Grammar(chosen, (*forms, last), draw(st.booleans()), draw(st.booleans()))


grammars = _grammars()

_WORDS = """
    -a -b -c -d --alpha --alpine --beta --betamax --bet --alpi --al -ab -cab -abx -cx
    --alpha=x --beta=x --betam=y -- - --zzz -z x y x y z
"""

words = st.sampled_from(_WORDS.split())

argvs = st.lists(words, max_size=6).map(tuple)
