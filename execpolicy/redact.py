"""Takes secrets out of a command before it is written down.

They are known by their shape (the token formats of GitHub, GitLab, AWS, Slack, OpenAI, Stripe,
npm, PyPI, Google, JSON Web Tokens, PEM) or by the name in front of them (`password=`, `--token`,
`Authorization:`, `mysql -p`). Too much is taken out rather than too little.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Pattern

MARK = "[redacted]"

# One of these stands in every text that has something to take out, in lower case.
_HINTS = (
    "gh", "glpat-", "gldt-", "glrt-", "sk-", "sk_", "rk_", "pk_", "xox", "xapp-", "akia", "asia",
    "aiza", "ya29.", "npm_", "pypi-", "hf_", "sg.", "dop_v1_", "shp", "eyj", "private", "auth",
    "bearer", "cookie", "pass", "pwd", "secret", "token", "key", "credential", "://", "mysql",
    "mariadb", "-u", "--user", "login", "redis-cli", "signature", "sig=", "pin=",
)  # fmt: skip

_VALUE = r"""(?:"(?:\\.|[^"\\])*"?|'[^']*'?|\\.|[^\s"'\\&;|)])+"""
_NAME = (
    r"(?:pass(?:w(?:or)?d|phrase|code)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|secret[_-]?key|account[_-]?key|auth(?:[_-]?key)?|credentials?|signature|sig|oauth2-bearer"
    r"|session[_-]?key|encryption[_-]?key|signing[_-]?key|key)"
)
_RULES = (
    # what is a secret by its shape
    (r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)", MARK),
    (
        r"\b(?:gh[pousr]_\w{10,}|github_pat_\w{10,}|gl(?:pat|dt|rt|ptt|cbt|agent)-[\w.-]{10,}"
        r"|sk-[\w-]{10,}|[srp]k_(?:live|test)_\w{8,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}"
        r"|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w.-]+|npm_\w{20,}|pypi-[\w-]{16,}"
        r"|hf_\w{16,}|SG\.[\w-]{10,}\.[\w-]+|dop_v1_\w+|shp(?:at|ss|ca|pa)_\w+"
        r"|eyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)*)",
        MARK,
    ),
    # who one is, in a URL
    (r"(?i)(\b[a-z][a-z0-9+.-]*://[^\s/:@'\"]*:)[^\s/'\"]+(?=@)", r"\1" + MARK),
    (r"(?i)(\bhttps?://)[^\s/:@'\"]+(?=@)", r"\1" + MARK),
    # headers
    (
        r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*[:=]\s*)(?!\[redacted\])[^\"'\n]+",
        r"\1\2" + MARK,
    ),
    (
        r"(?i)\b(x-[\w-]*(?:key|token|auth|secret)[\w-]*|private-token|job-token|api-key|apikey)"
        r"(\s*:\s*)[^\"'\s]+",
        r"\1\2" + MARK,
    ),
    (r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}", r"\1 " + MARK),
    # names with a value
    (rf"(?i)((?:\b|[_-]){_NAME}[\w-]*[\"']?\s*[=:]\s*)(?!//)(?!\[redacted\]){_VALUE}", r"\1" + MARK),
    (rf"(?i)(?<!\S)(--?[\w-]*{_NAME}\s+)(?!-){_VALUE}", r"\1" + MARK),
    (r"(?i)\b(pass:)[^\s\"']+", r"\1" + MARK),
    # programs with a letter of their own for it
    (rf"(?i)(\b(?:mysql\w*|mariadb[\w-]*|sshpass|mycli|mongosh?|mongodump|mongorestore)\b[^\n|;&]*?\s-p\s*){_VALUE}", r"\1" + MARK),
    (rf"(?i)(\b(?:login|zip|unzip|7za?|unrar|htpasswd)\b[^\n|;&]*?\s-[pP]\s*){_VALUE}", r"\1" + MARK),
    (rf"(?i)(\b(?:redis-cli|ldap\w+)\b[^\n|;&]*?\s-[aw]\s*){_VALUE}", r"\1" + MARK),
    (r"((?<!\S)(?:-u\s*|--(?:proxy-)?user[=\s]|-U\s*)[\"']?[^\s:\"'/%]+[:%])[^\s\"']+", r"\1" + MARK),
)  # fmt: skip

_compiled: "list[tuple[Pattern[str], str]]" = []


def redacted(text: str) -> str:
    """The text with each secret in it replaced.

    >>> redacted("curl -H 'Authorization: Bearer abcdef' https://me:pw@a.example")
    "curl -H 'Authorization: [redacted]' https://me:[redacted]@a.example"
    """
    low = text.lower()
    if not any(hint in low for hint in _HINTS):
        return text
    if not _compiled:
        import re

        _compiled.extend((re.compile(pattern), by) for pattern, by in _RULES)
    for pattern, by in _compiled:
        text = pattern.sub(by, text)
    return text


def joined(words: "Sequence[str]") -> str:
    """Words as one text in which each stays whole: those with blanks are quoted.

    >>> joined(["curl", "-H", "a: b", "it's"])
    'curl -H "a: b" "it\\'s"'
    """
    return " ".join(map(_whole, words))


def _whole(word: str) -> str:
    if word and not any(c.isspace() or c in "\"'\\&;|)" for c in word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
