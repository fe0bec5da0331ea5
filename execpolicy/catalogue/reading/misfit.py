"""Why no form of an entry fits the operands, in words."""

from _collections_abc import Sequence

from execpolicy.catalogue.form import Forms
from execpolicy.model.operation import Word, show


def misfit(name: str, forms: "Forms", operands: "Sequence[Word]") -> str:
    """What is not known about a call of `name`, a program or a subcommand."""
    if not forms:
        if not operands:
            return f"`{name}` needs a subcommand"
        return f"what `{name} {show(operands[0])}` does is not known"
    limits = [form.operands.most for form in forms]
    most = max(len(operands) + 1 if limit is None else limit for limit in limits)
    if most < len(operands):
        return f"what `{name}` does with one word more, `{show(operands[most])}`, is not known"
    if not operands:
        return f"what `{name}` does without operands is not known"
    return f"what `{name}` does with `{show(operands[0])}` is not known"
