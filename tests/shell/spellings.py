"""Other spellings of a script, which a shell reads as the same.

A spelling is a row of pieces, each with its plain and its other text. A change replaces the other
texts: blanks, quotes, continuations, braces of loops, forms of functions; or it puts commands into
a construct that runs them once. Whether a shell does the same for both is left to the shell:
`tests.shell.stubbed` runs them.
"""

# ruff: noqa: E501

import re
from collections.abc import Callable
from random import Random

from tests.shell import constructs, pieces
from tests.shell.constructs import N
from tests.shell.pieces import KEYWORDS, Spelling

_BLANKS = ("\t", "  ", "\t \t", f" {N}", f"{N} ", f" {N}\t", f"\t{N}{N} ")
_SEPARATE = frozenset((";", "&", "|", "&&", "||", "|&"))
_LEAD = frozenset(("$(", "<(", "<", ">", "(", "<<<", ">>"))
_BRACED_LOOPS = {"bash": ("for", "select"), "zsh": ("for", "select"), "dash": ()}


class Changes:
    """Changes spellings at random, for one shell."""

    def __init__(self, random: Random, shell: str) -> None:
        self.random = random
        self.shell = shell
        self.number = 0

    def changed(self, spelling: Spelling) -> Spelling:
        """A spelling with one change more, or with a few."""
        for _ in range(self.random.choice((1, 1, 1, 1, 2, 2, 3))):
            spelling = self._once(spelling)
        return spelling

    def _once(self, spelling: Spelling) -> Spelling:
        while True:
            self.number += 1
            made = self.random.choices(KINDS, WEIGHTS)[0](self, spelling)
            if made != spelling:
                return made

    def _each(self, spelling: Spelling, change: Callable[[Spelling, int], str | None]) -> Spelling:
        """One of the pieces that may be changed so, or some of them, spelled otherwise."""
        may = [(n, new) for n in range(len(spelling)) if (new := change(spelling, n)) is not None]
        if not may:
            return spelling
        share = self.random.choice((0, 0, 0, 0.3, 0.3, 1))
        taken = [one for one in may if self.random.random() < share] or [self.random.choice(may)]
        return self._set(spelling, dict(taken))

    def _set(self, spelling: Spelling, new: dict[int, str]) -> Spelling:
        made = list(spelling)
        for n, text in new.items():
            self.number += 1
            made[n] = made[n].respelled(text, self.number)
        return made

    # --- inside of words and between them ---------------------------------------------------------

    def blanks(self, spelling: Spelling) -> Spelling:
        """Tabs, several blanks, continuations for blanks; and around operators."""

        def change(row: Spelling, n: int) -> str | None:
            piece = row[n]
            if piece.kind == "blank":
                return self.random.choice(_BLANKS)
            if piece.kind != "operator" or piece.is_changed:
                return None
            if piece.plain in _SEPARATE:
                after = (*_BLANKS, N) if piece.plain == ";" else (*_BLANKS, N, "\n")
                before = self.random.choice(("", "", "\t", f" {N}", N))
                return before + piece.plain + self.random.choice(after)
            return piece.plain + self.random.choice((*_BLANKS, N)) if piece.plain in _LEAD else None

        return self._each(spelling, change)

    def separators(self, spelling: Spelling) -> Spelling:
        """A newline for a semicolon and the other way around, with comments; `|&` for `2>&1 |`."""

        def change(row: Spelling, n: int) -> str | None:
            piece = row[n]
            if piece.is_changed:
                return None
            if piece.plain == ";" and piece.kind == "operator":
                return self.random.choice(("\n", "\n\n", ";\n", "\n\t", " # it's\n"))
            if piece.kind == "newline":
                return self.random.choice((";", "\n\n", "\n# done (\n", "\n\t"))
            return None

        return self._each(self._with_messages(spelling), change)

    def _with_messages(self, spelling: Spelling) -> Spelling:
        """`|&` for `2>&1 |`, whose pieces are `2`, `>&`, `1`, a blank and `|`."""
        for n in range(len(spelling) - 4):
            row = [piece.plain for piece in spelling[n : n + 5]]
            if (row[0], row[1], row[2], row[4]) == ("2", ">&", "1", "|") and self.shell != "dash":
                return self._set(spelling, {n: "", n + 1: "", n + 2: "", n + 4: "|&"})
        return spelling

    def continued(self, spelling: Spelling) -> Spelling:
        """A continuation in the middle of a word, a keyword, a name of a variable."""

        def change(row: Spelling, n: int) -> str | None:
            text = row[n].spelled
            if row[n].kind not in ("literal", "variable", "text") or len(text) < 2:
                return None
            if re.search(r"[\\'\"]", text):
                return None
            for _ in range(self.random.choice((1, 1, 2, 9))):
                at = self.random.randrange(1, len(text))
                if "\\" not in text[at - 1 : at + 1]:
                    text = text[:at] + N + text[at:]
            return text

        return self._each(spelling, change)

    def requoted(self, spelling: Spelling) -> Spelling:
        """Words and parts of words in other quotes."""
        return self._each(spelling, self._requoted)

    def _requoted(self, row: Spelling, n: int) -> str | None:
        piece, text = row[n], row[n].plain
        if piece.is_changed or pieces.is_name(row, n):
            return None
        if piece.kind == "single":
            return self._quoted(text[1:-1])
        if piece.kind == "escaped" and re.fullmatch(r"\\[^\n'\"]", text):
            return self._quoted(text[1:])
        if piece.kind == "text" and len(text) > 1 and "\\" not in text:
            at = self.random.randrange(1, len(text))
            return text[:at] + '""' + text[at:]
        if piece.kind != "literal":
            return None
        begins = n == 0 or not row[n - 1].is_word
        is_whole = begins and (n + 1 == len(row) or not row[n + 1].is_word)
        return None if is_whole and text in KEYWORDS else self._literal(text, begins, is_whole)

    def _literal(self, text: str, begins: bool, is_whole: bool) -> str | None:
        named = re.match(r"\w+\+?=", text) if begins else None
        head = named[0] if named else ""
        text = text[len(head) :]
        runs = [] if re.search(r"[{}]", text) else [*re.finditer(r"[\w./:@%+,=-]+", text)]
        if not runs or text.isdigit():
            return None
        run = self.random.choice(runs)
        start, end = run.span()
        if self.random.random() < 0.6:
            start = self.random.randrange(start, end)
            end = self.random.randrange(start, end) + 1
        if is_whole and not head and self.shell != "dash" and self.random.random() < 0.15:
            return self._braced(text)
        return head + text[:start] + self._quoted(text[start:end]) + text[end:]

    def _braced(self, text: str) -> str:
        at = self.random.randrange(len(text))
        char = text[at]
        found = [f"{{{text},}}", f"{{,{text}}}"] if self.shell == "bash" else [text]
        if char.isalpha():
            found += [text[:at] + f"{{{char}..{char}}}" + text[at + 1 :]] * 3
        if "glob" in text:
            found += [text.replace("dot", "{dot,null}", 1), f"{{{text},{text}}}"] * 2
        return self.random.choice(found)

    def _quoted(self, text: str) -> str:
        inside = re.sub(r'([$`"\\!])', r"\\\1", text)
        found = ["'" + text.replace("'", "'\\''") + "'", f'"{inside}"', f'"{inside}"']
        if text and not re.search(r"\s", text):
            found += [re.sub(r"(.)", r"\\\1", text)] * 2
        if self.shell != "dash":
            found += [self._ansi(text)] * 3
        if self.shell == "bash" and "!" not in text:
            found.append(f'$"{inside}"')
        if "\\" not in inside and "\n" not in text:
            at = self.random.randrange(len(text) + 1)
            found.append(f'"{inside[:at]}{N}{inside[at:]}"')
        return self.random.choice(found)

    def _ansi(self, text: str) -> str:
        forms: tuple[Callable[[int], str], ...] = (
            lambda code: f"\\x{code:02x}", lambda code: f"\\{code:03o}", lambda code: f"\\u{code:04x}",
            lambda code: f"\\U{code:08x}",
        )  # fmt: skip
        made = ""
        for char in text:
            is_plain = ord(char) > 126 or (char not in "'\\" and self.random.random() < 0.5)
            made += char if is_plain else self.random.choice(forms)(ord(char))
        return f"$'{made}'"

    def variables(self, spelling: Spelling) -> Spelling:
        """A variable in braces, with an operator that changes nothing, with continuations."""

        def change(row: Spelling, n: int) -> str | None:
            found = re.fullmatch(r"\$(\w+|\{\w+\})", row[n].spelled)
            if row[n].kind != "variable" or not found:
                return None
            return self.random.choice(self._expansions(found[1].strip("{}")))

        return self._each(spelling, change)

    def _expansions(self, name: str) -> list[str]:
        found = [
            f"${{{name}}}", f"${N}{name}", f"${N}{{{name}}}", f"${{{N}{name}}}", f"${{{name}{N}}}",
            f"${{{name}-}}", f"${{{name}:-}}", f"${{{name}#}}", f"${{{name}%%}}", f"${{{name}:{N}-}}",
            f"${{{name}:+${name}}}", f"${{u_-${name}}}", f"${{{name}?}}", f"${{{name}={N}}}", f"${{u_:-${{{name}}}}}",
        ]  # fmt: skip
        if self.shell != "dash":
            found += [f"${{{name}:0}}", f"${{{name}/#}}", f"${{{name}//}}"]
        if self.shell == "bash":
            found += [
                f"${{{name}@E}}",
                f"${{{name}[0]}}",
                f"${{{name}[{N}@]}}",
                f"${{{name}[*]}}",
                f"${{{name}@P}}",
            ]
        if self.shell == "zsh":
            found += [
                f"${{(f){name}}}", f"${{={name}}}", f"$={name}", f"${{:-${name}}}", f"${{(P):-{name}}}", f"${{${name}}}",
                f"${{{name}:q}}", f"$~{name}", f"${{^{name}}}", f"${{(e):-\\${name}}}",
            ]  # fmt: skip
        return found

    # --- constructs -------------------------------------------------------------------------------

    def loops(self, spelling: Spelling) -> Spelling:
        """`{ …; }` for `do …; done`; the short forms of zsh."""
        may = [loop for loop in pieces.loops(spelling) if loop[0] in _BRACED_LOOPS[self.shell]]
        if not may:
            return spelling
        _, do, done = self.random.choice(may)
        new = {do: self.random.choice(("{", "\n{", "{\n", f"{{{N}")), done: "}"}
        if self.shell == "zsh" and self.random.random() < 0.5:
            new |= self._words_in_parentheses(spelling, do)
        return self._set_together(spelling, new)

    def _words_in_parentheses(self, spelling: Spelling, do: int) -> dict[int, str]:
        heads = [n for n in range(do) if spelling[n].plain == "in"]
        ends = [n for n in range(do) if spelling[n].ends_command]
        return {heads[-1]: "(", ends[-1]: ")"} if heads and ends and heads[-1] < ends[-1] else {}

    def functions(self, spelling: Spelling) -> Spelling:
        """A function in another form."""
        may = [
            n for n in range(len(spelling) - 2)
            if spelling[n].kind == "literal" and [p.plain for p in spelling[n + 1 : n + 3]] == ["(", ")"]
        ]  # fmt: skip
        if not may:
            return spelling
        n = self.random.choice(may)
        head = self.random.choice(constructs.heads(spelling[n].plain, self.shell))
        return self._set_together(spelling, {n: head, n + 1: "", n + 2: ""})

    def _set_together(self, spelling: Spelling, new: dict[int, str]) -> Spelling:
        made = list(spelling)
        for n, text in new.items():
            made[n] = made[n].respelled(text, self.number)
        return made

    def wrapped(self, spelling: Spelling) -> Spelling:
        """All commands, or those of a list among them, in a construct that runs them once."""
        start, end = 0, len(spelling)
        if self.random.random() < 0.5:
            start, end = self.random.choice(pieces.lists(spelling))
        escaped, before, after = self._wrapper()
        if after.endswith("\n") and end < len(spelling):
            if spelling[end].plain == ";":
                return spelling
            after = after[:-1]
        inner = [p.respelled(escaped(p.spelled), p.change) for p in spelling[start:end]]
        first, last = (pieces.Piece("", text, "wrapper", self.number) for text in (before, after))
        return [*spelling[:start], first, *inner, last, *spelling[end:]]

    def _wrapper(self) -> tuple[Callable[[str], str], str, str]:
        name = self.random.choice(("k", "g_", "h"))
        if self.random.random() < 0.5:
            before, after = self.random.choice(constructs.groups(name, self.shell))
            return str, before, self.random.choice(("; ", "\n", "\n")) + after
        held = self.random.choice(constructs.holders(self.shell))
        if held.before.startswith("<<"):
            run = self.random.choice(constructs.readers(self.shell))
            return held.escaped, f"{run} {held.before}", held.after
        before, after = self.random.choice(constructs.runners(name, self.shell))
        return held.escaped, before + held.before, held.after + after


KINDS: tuple[Callable[[Changes, Spelling], Spelling], ...] = (
    Changes.blanks, Changes.separators, Changes.continued, Changes.requoted, Changes.variables,
    Changes.loops, Changes.functions, Changes.wrapped,
)  # fmt: skip
WEIGHTS = (2, 1, 4, 6, 3, 6, 6, 5)
