"""The readers of scripts by the kind of the word that holds one."""

from _collections_abc import Callable, Sequence

from execpolicy.catalogue.scripts.effect import MAX_CHARS, Effect, ShellText
from execpolicy.model.errors import has_surrogates


def causes_of(kind: str, text: str) -> "Sequence[Effect | ShellText]":
    """What the script does beyond reading its input; nothing where it does no more."""
    if len(text) > MAX_CHARS:
        return [Effect("unknown", f"a script of more than {MAX_CHARS} characters is not read")]
    if has_surrogates(text):
        return [Effect("unknown", "a script that is not valid UTF-8 is not read")]
    return _reader(kind)(text)


def _reader(kind: str) -> "Callable[[str], Sequence[Effect | ShellText]]":
    if kind == "awk":
        from execpolicy.catalogue.scripts.awk import effects as of_awk

        return of_awk
    if kind == "sed":
        from execpolicy.catalogue.scripts.sed import effects as of_sed

        return of_sed
    if kind == "jq":
        from execpolicy.catalogue.scripts.jq import effects
    elif kind == "filters":
        from execpolicy.catalogue.scripts.filters import effects
    elif kind == "go-template":
        from execpolicy.catalogue.scripts.go_template import effects
    elif kind == "miller":
        from execpolicy.catalogue.scripts.miller import effects
    elif kind == "kube-fields":
        from execpolicy.catalogue.scripts.kube_fields import effects
    else:
        return _sql_reader(kind)
    return effects


def _sql_reader(kind: str) -> "Callable[[str], Sequence[Effect | ShellText]]":
    if kind == "mysql":
        from execpolicy.catalogue.scripts.sql.mysql import effects
    elif kind == "sqlite":
        from execpolicy.catalogue.scripts.sql.statements import sqlite as effects
    elif kind == "duckdb":
        from execpolicy.catalogue.scripts.sql.statements import duckdb as effects
    elif kind == "sqlite-readonly":
        from execpolicy.catalogue.scripts.sql.statements import readonly as effects
    else:
        from execpolicy.catalogue.scripts.sql.statements import effects
    return effects
