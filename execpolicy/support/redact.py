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
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-"),
    *("glcbt-", "glagent-", "sk-", "sk_", "rk_", "pk_", "xox", "xapp-", "akia", "asia", "aiza"),
    *("ya29.", "npm_", "pypi-", "hf_", "sg.", "dop_v1_", "shpat_", "shpss_", "shpca_", "shppa_"),
    *("eyj", "private", "auth", "bearer", "basic", "cookie", "pass", "pwd", "secret", "token"),
    *("key", "credential", "signature", "sig=", "sig:", "://", "mysql", "mariadb", "mycli"),
    *("mongo", "login", "redis-cli", "ldap", "zip", "7z", "unrar"),
)
_USERS = ("-u", "--user", "--proxy-user")

_PLAIN = r"""(?:\\.|[^\s"'\\&;|)])"""
_QUOTED = r"""(?:"(?:\\.|[^"\\])*"?|'[^']*'?)"""
_VALUE = rf"(?!\[redacted\])(?:{_QUOTED}(?:{_QUOTED}|{_PLAIN})*|{_PLAIN}+)"
_NAME = (
    r"(?:pass(?:w(?:or)?d|phrase|code)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|secret[_-]?key|account[_-]?key|auth(?:[_-]?key)?|credentials?|signature|sig|oauth2-bearer"
    r"|session[_-]?key|encryption[_-]?key|signing[_-]?key|key)"
)
_SURE = r"(?:passw(?:or)?d|passphrase|pwd|secret|token)"  # also as the end of a longer word
_SHAPES = (
    r"\b(?:gh[pousr]_\w{10,}|github_pat_\w{10,}|gl(?:pat|dt|rt|ptt|cbt|agent)-[\w.-]{10,}"
    r"|sk-[\w-]{10,}|[srp]k_(?:live|test)_\w{8,}|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w.-]+|npm_\w{20,}|pypi-[\w-]{16,}"
    r"|hf_\w{16,}|SG\.[\w-]{10,}\.[\w-]+|dop_v1_\w+|shp(?:at|ss|ca|pa)_\w+"
    r"|eyJ[\w-]{6,2000}\.[\w-]+(?:\.[\w-]*)*)"
)
_DATABASES = r"\b(?:mysql\w*|mariadb[\w-]*|sshpass|mycli|mongo\w*)\b[^\n|;&]{0,500}?\s-p\s*"
_LOGINS = r"\b(?:login|zip|unzip|7za?|unrar|htpasswd)\b[^\n|;&]{0,500}?\s-[pP]\s*"
_OTHERS = r"\b(?:redis-cli|ldap\w+)\b[^\n|;&]{0,500}?\s-[aw]\s*"
_USER = r"(?<!\S)(?:-u\s*|--(?:proxy-)?user[=\s]|-U\s*)[\"']?[^\s:\"'/%]{1,200}[:%]"

# What stands before the secret, which stays, and the secret.
_RULES = (
    (
        r"(?s)()-----BEGIN [A-Z0-9 ]*PRIVATE KEY",
        r".*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)",
    ),
    ("()", _SHAPES),
    (r"(?i)(\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@'\"]{0,200}:)", r"[^\s/'\"]+(?=@)"),
    (r"(?i)(\bhttps?://)", r"[^\s/:@'\"]+(?=@)"),
    (r"(?i)(\b(?:(?:proxy-)?authorization|(?:set-)?cookie)\s*[:=]\s*)", r"[^\"'\n]+"),
    (
        r"(?i)(\b(?:x-[\w-]{0,40}(?:key|token|auth|secret)[\w-]{0,40}|private-token|job-token)\s*:\s*)",
        r"[^\"'\s]+",
    ),
    (r"(?i)(\b(?:bearer|basic)\s+)", r"[\w.~+/=-]{6,}"),
    (rf"(?i)((?:{_SURE}|(?:\b|[_-]){_NAME})[\w-]{{0,40}}[\"']?\s*[=:]\s*)", rf"(?!//){_VALUE}"),
    (rf"(?i)((?<!\S)--?[\w-]{{0,40}}{_NAME}\s+)", rf"(?!-){_VALUE}"),
    (r"(?i)(\bpass:)", r"[^\s\"']+"),
    (rf"(?i)({_DATABASES})", _VALUE),
    (rf"(?i)({_LOGINS})", _VALUE),
    (rf"(?i)({_OTHERS})", _VALUE),
    (f"({_USER})", r"[^\s\"']+"),
)

_compiled: "list[Pattern[str]]" = []


def redacted(text: str) -> str:
    """The text with each secret in it replaced.

    >>> redacted("curl -H 'Authorization: Bearer abcdef' https://me:pw@a.example")
    "curl -H 'Authorization: [redacted]' https://me:[redacted]@a.example"
    """
    low = text.lower()
    if not any(hint in low for hint in _HINTS) and not _names_a_user(low):
        return text
    if not _compiled:
        import re

        _compiled.extend(re.compile(before + secret) for before, secret in _RULES)
    for pattern in _compiled:
        text = pattern.sub(r"\1" + MARK, text)
    return text


def _names_a_user(low: str) -> bool:
    """Whether there may be `-u NAME:PASSWORD`, which curl and others take."""
    return (":" in low or "%" in low) and any(option in low for option in _USERS)


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
