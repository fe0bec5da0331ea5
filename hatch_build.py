"""Compiles the shipped rules into the package while it is built."""

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledRules(BuildHookInterface[Any]):
    """Writes `execpolicy/data/builtin`, for a wheel and for an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the files of a wheel are collected."""
        sys.path.insert(0, self.root)
        from execpolicy.store import prebuilt

        prebuilt.write()
