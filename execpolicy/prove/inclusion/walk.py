"""A walk over all commands to which one rule applies, to see whether others decide them as well.

The commands are infinitely many, but only the words that some rule names make a difference, and one
more that stands for all others: so the machines of the rules have finitely many states together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.rule import fold
from execpolicy.prove.inclusion.machine import Letter, Machine, State, TooHardError, letter
from execpolicy.prove.inclusion.spellings import unnamed, with_name
from execpolicy.prove.inclusion.starts import Start

Pairs = tuple[tuple[int, State], ...]
Node = tuple[State, frozenset[tuple[int, State]]]

MAX_STEPS = 100_000
"""Steps of a walk, one for each word that is tried and each state after it: a third of a second."""

_SEVERAL = Letter("", "", dynamic=True, single=False)


class Walk:
    """Whether `others` decide all commands of `mine` at least as strictly.

    If `mine` allows, others that allow count too, if their patterns name at least `need` words.
    `used` are the numbers of those that decide. `paths` are those listed for a program's name.
    Without `loose`, no rule sees a path as the name of a program, and none is asked about computed
    words: rules are sets of words then.
    """

    def __init__(
        self,
        mine: Machine,
        others: Sequence[Machine],
        paths: Mapping[str, tuple[str, ...]] | None = None,
        loose: bool = True,
    ) -> None:
        self.mine = mine
        self.others = others
        self.paths = paths or {}
        self.need = 0
        self.loose = loose
        # Without exceptions, a rule may apply to a computed word only if it does about a word.
        self.dynamic = loose and mine.tight and bool(mine.unless)
        self.used: set[int] = set()
        self.steps = 0
        self.max_steps = MAX_STEPS

    def holds(self, nodes: Iterable[Node] | None = None) -> bool:
        """The answer, from the start or from some states. Raises `TooHardError`."""
        stack = list(self.begin() if nodes is None else nodes)
        seen = set(stack)
        while stack:
            mine, others = stack.pop()
            if self._settled(mine, others):
                continue
            if not self._adequate(mine, others):
                return False
            for node in self._after(mine, tuple(others)):
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return True

    def begin(self) -> Iterator[Node]:
        """The states after each first word."""
        for text in self._heads():
            head, named, seen = self.head(text)
            others = frozenset(
                (number, state)
                for number, other in enumerate(self.others)
                for state in other.begin(head, named, seen)
            )
            for state in self.mine.begin(head, named, [head] if self.mine.tight else seen):
                yield state, others

    def holds_from(self, start: Start) -> bool:
        """The answer for the commands that begin with these words."""
        self.need = start.need
        return self.holds(self._entered(start))

    def _entered(self, start: Start) -> Iterator[Node]:
        rest = [letter(word) for word in start.words[1:]]
        shorter = [letter(word) for word in start.canonical or ()]
        listed = () if self.mine.tight else self.paths.get(start.words[0], ())
        for text in (start.words[0], *listed):
            head, named, seen = self.head(text)
            others = frozenset(
                (number, state)
                for number, other in enumerate(self.others)
                for state in other.read(head, named, seen, rest, shorter)
            )
            mine = self.mine.read(head, named, [head] if self.mine.tight else seen, rest, shorter)
            for state in mine:
                yield state, others

    def head(self, text: str) -> tuple[Letter, list[Letter], list[Letter]]:
        """A program, the name that its path is listed for, and all spellings that rules see."""
        name = text.rpartition("/")[2]
        listed = text.startswith("/") and text in self.paths.get(name, ())
        head = letter(text)
        seen = [head, letter(name)] if self.loose and name != text else [head]
        return head, [letter(name)] if listed else [], seen

    def _heads(self) -> Iterable[str]:
        """The first words that can make a difference."""
        mine = self.mine
        exact = {t for m in (mine, *self.others) if not m.caseless for t in m.tokens(m.start)}
        exact.update(self.paths, *self.paths.values())
        found: dict[str, None] = {}
        for token in mine.pattern[0]:
            texts = self._spellings(token, exact) if mine.caseless else [token]
            if mine.caseless and "/" in token:
                name = token.rpartition("/")[2]
                endings = self._spellings(name, exact)
                texts += [t for e in endings if (t := with_name(token, e, exact)) is not None]
            found |= dict.fromkeys(texts)
        if not mine.tight:
            heads = mine.pattern[0]
            for name, paths in self.paths.items():
                if (fold(name) if mine.caseless else name) in heads:
                    found |= dict.fromkeys(paths)
        return found

    def _spellings(self, folded: str, exact: set[str]) -> list[str]:
        """The spellings that some rule names, and one that none does."""
        named = [text for text in exact if fold(text) == folded]
        other = unnamed(folded, exact)
        return named if other is None else [*named, other]

    def _adequate(self, mine: State, others: Iterable[tuple[int, State]]) -> bool:
        """Whether the others say enough about the command that ends here."""
        if self.mine.applies(mine):
            enough = self.mine.decision
        elif self.mine.may_speak(mine):
            enough = Decision.PROMPT
        else:
            return True
        return self._decided(enough, others)

    def _settled(self, mine: State, others: Iterable[tuple[int, State]]) -> bool:
        """Whether they do about all commands that begin like this."""
        certain = ((n, s) for n, s in others if self.others[n].settled(s))
        enough = Decision.PROMPT if mine.has_computed else self.mine.decision
        return self._decided(enough, certain)

    def _decided(self, enough: Decision, others: Iterable[tuple[int, State]]) -> bool:
        decided = [n for n, s in others if self._says(enough, self.others[n], s)]
        if decided and self.used.isdisjoint(decided):
            self.used.add(decided[0])
        return bool(decided)

    def _says(self, enough: Decision, other: Machine, state: State) -> bool:
        if other.tight:
            spoken = other.applies(state) and other.decision >= enough
            return spoken or (enough is Decision.PROMPT and other.may_speak(state))
        return enough is Decision.ALLOW and other.applies(state) and other.size >= self.need

    def _after(self, mine: State, others: Pairs) -> Iterator[Node]:
        """The states after each word that can make a difference."""
        index: dict[str, list[int]] = {}
        folded: dict[str, list[int]] = {}
        for place, (number, state) in enumerate(others):
            into = folded if self.others[number].caseless else index
            for token in self.others[number].tokens(state):
                into.setdefault(token, []).append(place)
        words, fresh = self._words(mine, index.keys(), folded.keys())
        usual = self._stepped(enumerate(others), letter(fresh))
        self.steps += len(others)
        for word in words:
            then = self.mine.step(mine, word)
            if then is None:
                continue
            if word.dynamic:
                changed: Iterable[int] = range(len(others))
            else:
                changed = {*index.get(word.text, ()), *folded.get(word.folded, ())}
            result = {k: v for k, v in usual.items() if k not in changed}
            result |= self._stepped(((k, others[k]) for k in changed), word)
            self.steps += 1 + len(result)
            if self.steps > self.max_steps:
                raise TooHardError
            yield then, frozenset(result.values())

    def _stepped(
        self, pairs: Iterable[tuple[int, tuple[int, State]]], word: Letter
    ) -> dict[int, tuple[int, State]]:
        found = {}
        for place, (number, state) in pairs:
            then = self.others[number].step(state, word)
            if then is not None:
                found[place] = (number, then)
        return found

    def _words(
        self, state: State, exact: Iterable[str], folded: Iterable[str]
    ) -> tuple[list[Letter], str]:
        """The words that can make a difference, and one that no rule names."""
        mine = self.mine
        texts, caseless = set(exact), set(folded)
        (caseless if mine.caseless else texts).update(mine.tokens(state))
        fresh = "\0"
        while fresh in texts or fresh in caseless:
            fresh += "\0"
        inside = state.at < mine.size and not state.is_sure
        if inside and not mine.caseless:
            found = set(mine.pattern[state.at])
        elif inside:
            found = {t for token in mine.pattern[state.at] for t in self._spellings(token, texts)}
        elif mine.exact and not state.is_sure:
            found = set()
        else:
            others = {t for token in caseless if (t := unnamed(token, texts)) is not None}
            found = {*texts, *others, fresh}
        letters = [letter(text) for text in found]
        if self.dynamic and inside:
            letters += [each.replace(dynamic=True) for each in letters]
        if self.dynamic and (inside or mine.exact):
            letters.append(_SEVERAL)
        return letters, fresh
