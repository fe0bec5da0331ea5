"""Globs on one name as fnmatch(3) and gitignore(5) read them: `*`, `?`, `[…]`, `\\`, and braces."""

Fits = bool | None
Part = tuple[str, bool] | None
"""The characters that fit, or that do not; None for a star."""

MAX_ALTERNATIVES = 256


def fits(glob: str, name: str) -> "Fits":
    """Whether a name fits; None where the glob has what is not known here, such as `[[:alpha:]]`.

    >>> fits("*.[ch]", "a.c"), fits("[!a]*", "a"), fits("\\\\*", "*"), fits("[[:x:]]", "a")
    (True, False, True, None)
    """
    if "[" not in glob and "\\" not in glob:
        from execpolicy.support.path_match import name_fits

        return name_fits(glob, name)
    parts = _parts(glob)
    return None if parts is None else _matches(parts, name)


def alternatives(glob: str) -> tuple[str, ...]:
    """The globs that one with braces stands for; nothing where that is not known.

    >>> alternatives("*.{ts,tsx}")
    ('*.ts', '*.tsx')
    """
    done, waiting = [], [glob]
    while waiting:
        text = waiting.pop(0)
        opened = text.find("{")
        if opened < 0:
            done.append(text)
            continue
        closed = text.find("}", opened)
        inside = text[opened + 1 : closed]
        if closed < 0 or "{" in inside or set(text) & set("[\\"):
            return ()
        waiting += [text[:opened] + part + text[closed + 1 :] for part in inside.split(",")]
        if len(waiting) + len(done) > MAX_ALTERNATIVES:
            return ()
    return tuple(done)


def _parts(glob: str) -> "list[Part] | None":
    """One part for each character: the characters that fit, and whether these or all others; None
    for a star. None where the glob is not understood."""
    parts: list[Part] = []
    at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            parts.append(None)
        elif char == "?":
            parts.append(("", False))
        elif char == "\\":
            if at == len(glob):
                return None
            parts.append((glob[at], True))
            at += 1
        elif char == "[":
            found = _bracket(glob, at)
            if found is None:
                return None
            part, at = found
            parts.append(part)
        else:
            parts.append((char, True))
    return parts


def _bracket(glob: str, at: int) -> "tuple[tuple[str, bool], int] | None":
    """The characters of a bracket expression that begins here, and where it ends."""
    among = glob[at : at + 1] not in ("!", "^")
    at += not among
    end = glob.find("]", at + 1)
    inside = glob[at:end]
    if end < 0 or set(inside) & set("[\\/"):
        return None
    chars, n = "", 0
    while n < len(inside):
        if inside[n + 1 : n + 2] == "-" and n + 2 < len(inside):
            first, last = ord(inside[n]), ord(inside[n + 2])
            if not first <= last < 128:
                return None
            chars += "".join(map(chr, range(first, last + 1)))
            n += 3
        else:
            chars += inside[n]
            n += 1
    return (chars, among), end + 1


def _matches(parts: "list[Part]", name: str) -> bool:
    at, start, back, star = 0, 0, -1, -1
    while at < len(name):
        part = parts[start] if start < len(parts) else ("", True)
        if start < len(parts) and part is None:
            star, back = start, at
            start += 1
        elif part is not None and (name[at] in part[0]) is part[1]:
            start, at = start + 1, at + 1
        elif star >= 0:
            back += 1
            start, at = star + 1, back
        else:
            return False
    return all(part is None for part in parts[start:])
