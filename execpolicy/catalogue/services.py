"""Which entries are those of programs that talk to a server, by the file that they stand in."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.rule import Origin

_TOPICS = frozenset(
    (
        *("agents", "aws", "azure", "ci", "clouds", "clusters", "containers", "databases"),
        *("desktop", "devices", "forges", "gcloud", "hashicorp", "infrastructure", "kubernetes"),
        *("network", "platforms", "remote", "services", "supervisors"),
    )
)


def is_service(origin: "Origin | None") -> bool:
    """Whether an entry stands among those of programs that talk to a server."""
    topic = origin.file.rpartition("/")[2].removesuffix(".rules") if origin else ""
    return topic in _TOPICS
