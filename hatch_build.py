"""Compiles what would cost the first start of each machine seconds, while the package is built."""

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Compiled(BuildHookInterface[Any]):
    """Writes `execpolicy/data/compiled`, for a wheel and for an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the files of a wheel are collected."""
        sys.path.insert(0, self.root)
        from execpolicy.language import syntax_tables
        from execpolicy.shell import skeleton
        from execpolicy.shell.common_structures import common
        from execpolicy.store import answers, prebuilt
        from execpolicy.store.tables import PackagedTables

        syntax_tables.driver(PackagedTables("syntax"))
        skeleton.prepare(PackagedTables("bashlex"))
        answers.write("", skeleton.answers(common()))
        prebuilt.write(checkout=version == "editable")
