"""Scripts of a `package.json`, after npm-run(1) and scripts(7) of npm 11."""


def scripts(text: str, name: str) -> "tuple[str, ...] | None":
    """The texts that `npm run` runs for a script, with those before and after it; None where it has
    none of that name, or what one is is not known."""
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    every = found.get("scripts") if isinstance(found, dict) else None
    if not isinstance(every, dict) or not isinstance(every.get(name), str):
        return None
    texts = [every[each] for each in (f"pre{name}", name, f"post{name}") if each in every]
    return tuple(texts) if all(isinstance(text, str) for text in texts) else None
