"""What a server counts, in the form of Prometheus (exposition format 0.0.4)."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Metrics:
    """The counters of one server. Nothing in a label comes from a request but the path's name."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._seconds = Histogram(
            "execpolicy_decision_seconds", "From request to verdict.", registry=registry,
            buckets=BUCKETS,
        )  # fmt: skip
        self._declined = Counter(
            "execpolicy_declined", "Requests that the client decides itself.", registry=registry
        )
        self._requests = Counter(
            "execpolicy_requests", "Requests by path and status.", ("path", "status"),
            registry=registry,
        )  # fmt: skip
        self._answers = Counter(
            "execpolicy_answers", "Questions answered here.", ("answer",), registry=registry
        )
        self._gauges = {
            name: Gauge(f"execpolicy_{name}", text, registry=registry)
            for name, text in (
                ("engines", "Policies that are kept."),
                ("waiting", "Requests that wait for a turn."),
                ("questions", "Questions that wait for the user."),
            )
        }

    def decided(self, seconds: float, declined: bool) -> None:
        """A request was decided, or declined."""
        self._seconds.observe(seconds)
        if declined:
            self._declined.inc()

    def requested(self, path: str, status: int) -> None:
        """A request was answered over HTTP."""
        self._requests.labels(path, str(status)).inc()

    def answered(self, life: str) -> None:
        """A question was answered."""
        self._answers.labels(life).inc()

    def text(self, **gauges: int) -> bytes:
        """All of it, with what is so at this moment."""
        for name, value in gauges.items():
            self._gauges[name].set(value)
        return generate_latest(self._registry)
