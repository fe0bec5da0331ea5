"""A policy that another process or machine decides by: texts, their digest and the version.

It is plain data: what a worker gets, it compiles by itself, and refuses where what it then has is
another policy.
"""

import json
from collections.abc import Iterable

from execpolicy.model.errors import ExecPolicyError
from execpolicy.store import loader
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import MAX_RULES_BYTES, RulesFile, read_rules
from execpolicy.support import digest
from execpolicy.support.record import Value
from execpolicy.support.version import COMPILED, PACKAGE


class BatchPolicy(Value):
    """Rules files by name and text, lowest first, beside those that ship unless `builtin` is false.

    `digest` is that of the compiled policy, `version` the program's; both empty before it was
    loaded once.
    """

    files: tuple[tuple[str, str], ...] = ()
    builtin: bool = True
    digest: str = ""
    version: str = ""

    @staticmethod
    def of(paths: Iterable[str] = (), builtin: bool = True) -> "BatchPolicy":
        """The policy of rules files of this machine. Raises `PolicyError` for a broken one."""
        read = [read_rules("user", path, MAX_RULES_BYTES) for path in paths]
        files = tuple((file.path, file.data.decode()) for file in read)
        made = BatchPolicy(files, builtin)
        loader.strict(made.load(), read)
        return made.replace(digest=made.load().digest, version=f"{PACKAGE}/{COMPILED}")

    def load(self) -> Snapshot:
        """The compiled policy. Raises `ExecPolicyError` where it is not the one that is meant."""
        files = [RulesFile("user", name, text.encode()) for name, text in self.files]
        snapshot = loader.load(files, builtin=self.builtin)
        ours = f"{PACKAGE}/{COMPILED}"
        if self.digest and (self.digest, self.version) != (snapshot.digest, ours):
            raise ExecPolicyError(
                f"the policy is {self.digest} of {self.version}, and here it is"
                f" {snapshot.digest} of {ours}: install the same version"
            )
        return snapshot

    @property
    def key(self) -> str:
        """What decisions are kept under: all that they depend on but the text."""
        return digest.of_parts(part.encode() for part in (self.digest, self.version))

    def to_json(self) -> str:
        """As one line."""
        return json.dumps([self.files, self.builtin, self.digest, self.version])

    @staticmethod
    def from_json(line: str) -> "BatchPolicy":
        """From one line. Raises `ValueError`."""
        files, builtin, made, version = json.loads(line)
        named = tuple((str(name), str(text)) for name, text in files)
        return BatchPolicy(named, bool(builtin), str(made), str(version))
