"""The variables by which programs find the proxy: one table of what is known of each tool."""

from collections.abc import Sequence

LOCAL = "localhost,127.0.0.1,::1"
"""Inside a sandbox this is its own loopback, which needs no proxy."""

TABLE = (
    ("HTTP_PROXY", "{http}", "curl's upper case, Go, Python, Ruby, cargo, docker's client"),
    ("HTTPS_PROXY", "{http}", "the same, for https"),
    ("ALL_PROXY", "{socks}", "other protocols of curl and git; names are resolved by the proxy"),
    ("NO_PROXY", "{local}", "the same"),
    ("http_proxy", "{http}", "curl takes only the lower case for http; wget, apt, libcurl of git"),
    ("https_proxy", "{http}", "the same"),
    ("all_proxy", "{socks}", "the same"),
    ("no_proxy", "{local}", "the same"),
    ("npm_config_proxy", "{http}", "npm, pnpm"),
    ("npm_config_https_proxy", "{http}", "npm, pnpm"),
    ("npm_config_noproxy", "{local}", "npm, pnpm"),
    ("YARN_HTTP_PROXY", "{http}", "yarn 2 and newer"),
    ("YARN_HTTPS_PROXY", "{http}", "yarn 2 and newer"),
    ("NODE_USE_ENV_PROXY", "1", "fetch and http of Node 22.21, 24 and newer"),
    ("ELECTRON_GET_USE_PROXY", "1", "what downloads Electron"),
    ("GLOBAL_AGENT_HTTP_PROXY", "{http}", "the package global-agent of Node"),
    ("PIP_PROXY", "{http}", "pip, also where its configuration names another"),
    ("CARGO_HTTP_PROXY", "{http}", "cargo"),
    ("BUNDLE_HTTP_PROXY", "{http}", "bundler"),
    ("DOCKER_HTTP_PROXY", "{http}", "docker's build"),
    ("DOCKER_HTTPS_PROXY", "{http}", "docker's build"),
    ("GRPC_PROXY", "{http}", "gRPC"),
    ("grpc_proxy", "{http}", "gRPC"),
    ("RSYNC_PROXY", "{host}:{port}", "rsync"),
    ("CLOUDSDK_PROXY_TYPE", "http", "gcloud"),
    ("CLOUDSDK_PROXY_ADDRESS", "{host}", "gcloud"),
    ("CLOUDSDK_PROXY_PORT", "{port}", "gcloud"),
    (
        "JAVA_TOOL_OPTIONS",
        "-Dhttp.proxyHost={host} -Dhttp.proxyPort={port} -Dhttps.proxyHost={host} "
        "-Dhttps.proxyPort={port} -Dhttp.nonProxyHosts=localhost|127.*|[::1]",
        "every Java machine, so mvn, gradle, sbt too",
    ),
)
"""Name, value, and which programs read it."""


def variables(
    port: int, host: str = "127.0.0.1", tunnel: Sequence[str] = ()
) -> tuple[tuple[str, str], ...]:
    """The variables for a proxy at this address.

    `tunnel` are the words of a command that joins its standard streams to `%h:%p`; with it, git
    reaches hosts by ssh too.
    """
    shown = f"[{host}]" if ":" in host else host
    values = {
        "http": f"http://{shown}:{port}",
        "socks": f"socks5h://{shown}:{port}",
        "local": LOCAL,
        "host": host,
        "port": str(port),
    }
    found = [(name, value.format(**values)) for name, value, _ in TABLE]
    if tunnel:
        command = f"ProxyCommand={' '.join(map(_quoted, tunnel))} %h %p"
        found.append(("GIT_SSH_COMMAND", f"ssh -o {_quoted(command)}"))
    return tuple(found)


def _quoted(word: str) -> str:
    """A word as the shell reads it again; `shlex` would take a fifth of the start of a run."""
    plain = word.replace("/", "").replace("-", "").replace(".", "").replace("_", "")
    if plain.isascii() and plain.isalnum():
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
