"""A subcommand that the catalogue does not name never passes as an operand of a parent."""

from execpolicy.catalogue import read
from tests.catalogue.shipped import RULES, everything, programs

HARMLESS = {
    # A word that is not a subcommand is a name to look for.
    "asdf list",
    "asdf plugin list",
    "rvm list",
    "mise settings",
    "rtx settings",
    # Their unknown subcommands only get help shown.
    "flux export images",
    "flux export sources",
    "flux get images",
    "flux get sources",
    "flux tree",
    "fly version",
    "flyctl version",
    "git lfs ext",
    "git-lfs ext",
    "istioctl x describe",
    "k0s kubectl top",
    "k3d version",
    "k3s kubectl top",
    "kubectl top",
    "microk8s kubectl top",
    "nmcli d lldp",
    "nmcli dev lldp",
    "nmcli device lldp",
    "oc top",
    "packer plugins",
    "terraform providers",
    "tofu providers",
}
NAMES = {name for path in RULES for program in programs(path) for name in program.names}
PARENTS = sorted(NAMES & {name.rpartition(" ")[0] for name in NAMES})


def test_an_unknown_subcommand_asks() -> None:
    assert sorted(p for p in PARENTS if "{" not in p and p not in HARMLESS and passes(p)) == []


def passes(path: str) -> bool:
    """Whether a word that no entry names is taken for something that only reads."""
    given = ((*path.split(), "zzq", "x"), (*path.split(), "zzq"))
    return any(read(argv, everything()[0]).strongest in (None, "read") for argv in given)
