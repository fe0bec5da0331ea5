"""`execpolicy install`: put the policy in front of agents, by their hosts' own configuration."""

import difflib
import os
import sys
from collections.abc import Callable, Sequence

from execpolicy.commands.arguments import Kind, OptionSyntax, Syntax, Takes, one_of
from execpolicy.commands.arguments import parse as read
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.hosts.install import edit, host_file, launcher, present, start_words, timeouts
from execpolicy.hosts.install.host import HOSTS, Host
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.store.sources.settings import load as load_settings
from execpolicy.support.record import Value


class InstallOptions(Value):
    """What the command line says."""

    hosts: tuple[Host, ...] = ()
    scope: str = "user"
    dry: bool = False
    every: bool = False
    wrap: bool = False


def main(arguments: Sequence[str]) -> ExitCode:
    """Install the hooks of each host. A file that is not understood is an `ExecPolicyError`."""
    options = parse(arguments, SYNTAX)
    if options.wrap:
        return _launch(options)
    installing = _Installing(options)
    code = ExitCode.ALLOW
    if options.every:
        none = "no host of an agent was found on this machine"
        code = each(present.here(), installing.install, none)
    else:  # where one of them cannot be, nothing is written
        for host, changes in [(host, installing.changes(host)) for host in options.hosts]:
            installing.apply(host, changes)
    if installing.new:
        from execpolicy.commands.next_steps import after_install

        after_install(installing.new, options.scope)
    return code


def _launch(options: InstallOptions) -> ExitCode:
    """Write the launchers of hosts, and say how they are found."""
    changes = [(host, launcher.installing(host)) for host in options.hosts]
    for host, change in changes:
        if apply(host, change, options.dry) and not options.dry:
            os.chmod(change.file, 0o700)
    first = all(launcher.comes_first(host) for host in options.hosts)
    if not (first or options.dry):
        path = printable(launcher.directory())
        print(
            f'put it first in PATH, at the end of what your shell reads: export PATH="{path}:$PATH"'
        )
    return ExitCode.ALLOW


class _Installing:
    """The hooks of one call of the command. `new` are the hosts whose configuration was changed."""

    def __init__(self, options: InstallOptions) -> None:
        self.options = options
        self.new: list[Host] = []
        self._program = start_words.command()
        self._settings = load_settings()

    def changes(self, host: Host) -> list[edit.Change]:
        """What has to change for the host to run the hook."""
        host = timeouts.patient(host, self._settings.wait_seconds)
        strict = self._settings.undecided == "deny"
        return edit.installing(host, self.options.scope, os.getcwd(), self._program, strict)

    def apply(self, host: Host, changes: list[edit.Change]) -> None:
        """Make the changes, or show them."""
        changed = [apply(host, change, self.options.dry) for change in changes]
        if any(changed) and not self.options.dry:
            self.new.append(host)
            if host.after:
                print(f"{host.name}: {host.after}")
        if host.name == "codex":
            from execpolicy.hosts.install.codex import in_force

            for line in in_force(host, self.options.scope, os.getcwd()):
                print(f"{host.name}: {line}")

    def install(self, host: Host) -> None:
        """Work the changes out and make them."""
        self.apply(host, self.changes(host))


def each(hosts: Sequence[Host], do: Callable[[Host], None], none: str) -> ExitCode:
    """Do it for every host, also after one where it failed. ERROR if it did for any.

    `none` is said where there is no host.
    """
    code = ExitCode.ALLOW
    if not hosts:
        print(f"{none}: nothing is done")
    for host in hosts:
        try:
            do(host)
        except (ExecPolicyError, OSError) as error:
            sys.stdout.flush()
            print(f"execpolicy: {host.name}: {error}", file=sys.stderr, flush=True)
            code = ExitCode.ERROR
    return code


def apply(host: Host, change: edit.Change, dry: bool) -> bool:
    """Write a change, or show it; whether there is one."""
    file, before, after = change.file, change.before, change.after
    shown = f"{host.name}: {printable(file)}"
    if before == after:
        print(f"{shown}: nothing to change")
        return False
    if dry:
        sys.stdout.write(diff(file, before or "", after or ""))
        return True
    if after is None:
        os.unlink(file)
        print(f"{shown}: removed")
        return True
    kept_as = host_file.write(file, after, before)
    kept = f" (as it was: {printable(kept_as)})" if kept_as else ""
    print(f"{shown}: written{kept}")
    return True


def diff(file: str, before: str, after: str) -> str:
    """The change as a unified diff that cannot fool a terminal."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{file} (now)", f"{file} (then)", lineterm=""
    )
    return "".join(printable(line) + "\n" for line in lines)


def syntax(command: str, hosts: Sequence[str] = (), every: bool = True) -> Syntax:
    """The command line of `install`, and of what is like it."""
    options = (
        OptionSyntax(("--scope",), "scope", Takes("scope", Kind.WORD, ("user", "project"))),
        OptionSyntax(("--dry-run",), "dry"),
    )
    named = Takes("host", Kind.WORD, tuple(hosts or HOSTS))
    return Syntax(command, (*options, *(_ALL if every else ())), named)


_ALL = (OptionSyntax(("--all",), "every"),)
_PLAIN = syntax("install")
SYNTAX = Syntax("install", (*_PLAIN.options, OptionSyntax(("--wrap",), "wrap")), _PLAIN.operands)


def parse(arguments: Sequence[str], command: Syntax) -> InstallOptions:
    """What such a command line says. Raises `UsageError`."""
    parsed = read(command, arguments)
    names = tuple(dict.fromkeys(parsed.operands))
    options = InstallOptions(tuple(HOSTS[n] for n in names), **parsed.fields)  # type: ignore[arg-type]
    if options.every and names:
        raise UsageError("name hosts or give `--all`, one of them")
    if options.wrap and (options.every or options.scope != "user"):
        raise UsageError("`--wrap` is for hosts that are named, and for all that you do")
    if not options.every and not names:
        assert command.operands is not None  # noqa: S101
        raise UsageError(f"no host: use {one_of(command.operands.known())}")
    return options
