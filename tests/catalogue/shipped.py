"""The shipped rules files, loaded as the program loads them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.language.compile import compile_text
from execpolicy.model.errors import Diagnostic
from execpolicy.model.written.program import Program
from execpolicy.store.compiled import prebuilt

if TYPE_CHECKING:
    from execpolicy.catalogue.catalogue import Table

FILES = sorted((Path(__file__).parents[2] / "rules").glob("*.rules"))
RULES = [path for path in FILES if "\nprogram(" in path.read_text()]


@functools.cache
def programs(path: Path) -> tuple[Program, ...]:
    return compile_text(path.read_text(), path.name, "builtin").programs


@functools.cache
def everything() -> tuple[Catalogue, tuple[Diagnostic, ...], Table]:
    """The catalogue of all files, what is wrong with their notation, and its table.

    A build compiled them, with nothing wrong. Where a file was changed since, it is done now.
    """
    built = prebuilt.read()
    if built is not None and built.table is not None:
        return Catalogue(built.table), built.diagnostics, built.table
    table, diagnostics = compile_programs(program for path in RULES for program in programs(path))
    return Catalogue(table), diagnostics, table
