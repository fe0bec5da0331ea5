"""Compiles what would cost the first start of each machine seconds, while the package is built."""

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Compiled(BuildHookInterface[Any]):
    """Writes `execpolicy/data/compiled`, for a wheel and for an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the files of a wheel are collected."""
        sys.path.insert(0, self.root)
        from execpolicy.language.syntax import tables
        from execpolicy.shell.second_reader import second_reader
        from execpolicy.shell.second_reader.common_structures import common
        from execpolicy.store.compiled import answers, prebuilt
        from execpolicy.store.compiled.tables import PackagedTables
        from execpolicy.support import startup

        tables.driver(PackagedTables("syntax"))
        second_reader.prepare(PackagedTables("bashlex"))
        answers.write("", second_reader.answers(common()))
        prebuilt.write(checkout=version == "editable")
        startup.write()
