"""Secrets that only their surroundings give away: key blocks, passwords in URLs, headers, and assignments by name.

Invariant: as in `scrub_rules`, each quantifier is bounded. A value is taken for a secret only where its name says so
and it looks random: a doubt about a word, a path, an expression or a placeholder leaves the text alone.
"""

from __future__ import annotations

import base64
import binascii
import re

from waypost.kernel.text.scrub_rules import Rule, entropy, is_placeholder, rule

__all__ = ["SHAPE_RULES", "looks_random"]

KEY_BLOCK_BYTES = 40  # base64 characters; a block with fewer is a picture of a key in somebody's text

# Passwords that documentation puts into URLs; compared whole, lower-case.
DOCUMENTED_PASSWORDS = frozenset(
    {"pass", "passwd", "password", "passw0rd", "pw", "pwd", "secret", "secrets", "token", "user", "username", "foo",
     "bar", "baz", "qux", "spam", "eggs", "xxx", "test", "testing", "guest", "admin", "root", "postgres", "mysql", "sa",
     "tiger", "s3cr3t", "s3cret", "sekrit", "mypass", "mypassword", "pass123", "password123", "userpass", "credentials",
     "creds", "key", "apikey", "api_key", "port", "anonymous", "none", "null", "x-oauth-basic", "x-access-token"}
)  # fmt: skip

# Parts of a value that make it words, names, numbers or a path rather than something random.
PIECES = re.compile(r"[/_.\-:@\\+=,~#]")
WORD_PIECE = re.compile(
    r"[a-z]{0,40}(?:[A-Z]{1,5}[a-z]{2,20}){0,8}+[A-Z]{0,4}[0-9]{0,2}|[A-Z]{1,40}[0-9]{0,2}|[0-9]{1,8}|[0-9]{1,4}[A-Za-z]{1,3}"
)
CALL = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,100}[(\[]|[=<>|(]|\[secret removed: ")
ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,60}(?:(?:\.|::|->)[A-Za-z_][A-Za-z0-9_]{0,60}){1,8}+")
PATTERNISH = re.compile(r"\[[^\]\s]{1,40}\][+*{]|\(\?|\[\^|\\[swdbSWDB(]|\.[*+]|\{[^}]{0,60}\}|\$\w|%[sdr(]|://")

# Where a value without quotes ends, though the next character could belong to it.
VALUE_END = re.compile(r"[,;&|](?:(?=\s)|\Z|(?=[\w. -]{1,40}[=:]))|\\{1,2}[nrt\"']|\]\(|</")
TRAILING = ".,;:!?)]}"

# Last parts of a name that make it tell about a secret instead of holding one: token_count, password_file.
ABOUT = re.compile(
    r"s?[_-]?(?:hash|hashed|digest|count|name|id|ids|url|uri|file|filename|path|dir|env|var|type|field|len|length|size"
    r"|limit|budget|ttl|expires?|expiry|at|policy|regex|pattern|label|arn|version|format|prefix|suffix|usage|index|kind"
    r"|class|list|manager|provider|endpoint|ring|row|column|line|position|start|end|stream|map|ref|salt)s?\Z|s\Z",
    re.IGNORECASE,
)
# First parts of a name that make its key a place in a table, not a secret: cache_key, primary_key.
PUBLIC_KEYS = r"(?<!public)(?<!cache)(?<!sort)(?<!primary)(?<!foreign)(?<!partition)(?<!row)(?<!dedup)(?<!idempotency)"


def looks_random(value: str, *, least: int = 8, quoted: bool = False) -> bool:
    """Whether `value` looks generated: long enough, letters with digits or signs, and neither words nor code."""
    if len(value) < least or is_placeholder(value) or CALL.match(value) or PATTERNISH.search(value):
        return False
    if not quoted and ATTRIBUTE.fullmatch(value):
        return False
    letters = any(char.isalpha() for char in value)
    if not letters or value.isalpha() or any(char.isspace() for char in value):
        return False
    if all(WORD_PIECE.fullmatch(piece) for piece in PIECES.split(value.strip("*&!^")) if piece):
        return False
    return entropy(value) >= (2.5 if len(value) < 16 else 3.0)


def _is_key_block(match: re.Match[str]) -> bool:
    body: str = match.group("whole") or match.group("cut") or ""
    return sum(char.isalnum() for char in body) >= (KEY_BLOCK_BYTES if match.group("whole") else 16)


def _is_url_password(match: re.Match[str]) -> bool:
    value: str = match.group("secret")
    if value.lower() in DOCUMENTED_PASSWORDS or PATTERNISH.search(value) or set(value) <= set("*.x-_"):
        return False
    if re.match(r"[0-9]{1,5}(?:[/?#]|\Z)", value):
        return False  # a port
    if "/" in value:
        return looks_random(value)
    return len(value) >= (6 if value.isalpha() else 4)


def _is_basic(match: re.Match[str]) -> bool:
    """The value is base64 of `user:password`, which is what basic authentication sends."""
    value = match.group("secret")
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded[1:] and min(decoded) >= 32


def _is_header_value(match: re.Match[str]) -> bool:
    return looks_random(match.group("secret")) or _is_basic(match)


def _is_shell_password(match: re.Match[str]) -> bool:
    value = match.group("secret")
    return value.lower() not in DOCUMENTED_PASSWORDS and not value.startswith(("$", "<", "{", "%", "\\", '"'))


def _is_assigned(match: re.Match[str], *, least: int = 8) -> bool:
    if ABOUT.fullmatch(match.group("rest")):
        return False
    return looks_random(match.group("secret"), least=least, quoted=match.group("quote") is not None)


def _is_assigned_key(match: re.Match[str]) -> bool:
    return _is_assigned(match, least=16)


def _is_option(match: re.Match[str]) -> bool:
    return looks_random(match.group("secret"))


# After a name: its rest, closing quotes and brackets, a type, an operator, and a value with or without quotes.
NAME_REST = r"(?P<rest>[A-Za-z0-9_-]{0,32}+)[\"'`*)\]\\]{0,4}+(?: (?:key|token|value))?"
ANNOTATION = r"(?:[ \t]{0,2}+:[ \t]{0,2}+[A-Za-z_&][A-Za-z_.\[\]| ]{0,30}+(?=:?=))?"
OPERATOR = (
    r"(?:[ \t]{0,6}+(?::=|=>|={1,3}+|:|\uff1a|>)[ \t]{0,4}+|[ \t]{1,6}+\|[ \t]{1,6}+"
    r"|[ \t]{1,3}+(?:is|was)(?:[ \t]?:)?[ \t]{1,3}+|[ \t]{1,2}+(?=[\"']))"
)
VALUE = r"(?:[bfru]{0,2}+(?P<quote>\\{0,3}+[\"'`]))?(?P<secret>(?(quote)(?:(?!(?P=quote))[^\n]){6,512}+|[^\s\"'`<>]{6,512}+))"
ASSIGNMENT = NAME_REST + ANNOTATION + OPERATOR + VALUE

NAMES = (
    "pass", "pwd", "secret", "token", "credential", "_auth",
    "api_key", "api-key", "apikey", "api key", "access_key", "access-key", "accesskey", "access key",
    "private_key", "private-key", "privatekey", "private key", "auth_key", "auth-key", "authkey", "auth key",
    "account_key", "account-key", "accountkey", "account key",
)  # fmt: skip

SHAPE_RULES: tuple[Rule, ...] = (
    rule(
        "private-key",
        "-----begin",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:"
        r"(?P<whole>(?:[^-]|-(?!----)){0,32768}+)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?P<cut>(?:[\s\"'+,;>|#*\\]{0,16}(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,120}|[A-Za-z0-9+/=]{16,2048})){1,1024}+"
        r"(?:[\s\\]{0,4}+[A-Za-z0-9+/=]{1,15}+(?=\s{0,4}+\Z|…|\.\.\.))?))",
        edge=False,
        floor=0,
        check=_is_key_block,
        allow_placeholders=False,
    ),
    rule(
        "private-key",
        "private-lines:",
        r"Private-Lines: [0-9]{1,3}\s{1,4}(?P<secret>(?:[A-Za-z0-9+/=]{16,80}\s{0,4}){1,200}+)",
        edge=False,
        floor=3.0,
        allow_placeholders=False,
    ),
    rule(
        "jwt",
        "eyj",
        r"(?<!-)eyJ[A-Za-z0-9_-]{10,2048}+(?:\.eyJ[A-Za-z0-9_-]{10,8192}+\.[A-Za-z0-9_-]{10,1024}+"
        r"|(?:\.[A-Za-z0-9_-]{8,4096}+){4})",
    ),
    rule(
        "url-password",
        "://",
        r"://[^\s/:@\"'<>\\]{0,128}+:(?P<secret>[^\s\"'<>`\\]{1,256})@[A-Za-z0-9\[$%{]",
        edge=False,
        floor=0,
        check=_is_url_password,
    ),
    rule(
        "authorization-header",
        "authorization",
        r"authorization[\"'\]\\]{0,4}+[ \t]{0,3}+(?::|=>|=|,)[ \t]{0,3}+[bfru]?[\"'\\]{0,3}+"
        r"(?:(?:bearer|basic|token|bot|apikey|api-key|digest)[ \t]{1,3}+)?(?P<secret>[A-Za-z0-9._~+/=-]{8,4096}+)",
        edge=False,
        ignore_case=True,
        check=_is_header_value,
    ),
    rule(
        "bearer-token",
        "bearer",
        r"bearer(?:[ \t]{1,3}|%20|\+)(?:token[ \t]{1,2})?(?P<secret>[A-Za-z0-9._~+/=-]{16,4096}+)",
        ignore_case=True,
        check=lambda match: looks_random(match.group("secret"), least=16),
    ),
    rule(
        "basic-auth",
        "basic",
        r"basic[ \t]{1,3}(?P<secret>[A-Za-z0-9+/]{8,512}+={0,2})",
        ignore_case=True,
        check=_is_basic,
    ),
    rule(
        "basic-auth",
        "curl",
        r"curl [^\n]{0,200}?(?<=[ \t])(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}+:(?P<secret>[^\s\"']{1,128}+)",
        floor=0,
        check=_is_shell_password,
    ),
    rule(
        "registry-auth",
        '"auth"',
        r"\"auth\"\s{0,3}:\s{0,3}\"(?P<secret>[A-Za-z0-9+/]{8,512}+={0,2})",
        edge=False,
        check=_is_basic,
    ),
    rule(
        "netrc-password",
        "machine",
        r"machine\s{1,3}\S{1,100}+\s{1,4}login\s{1,3}\S{1,100}+\s{1,4}password\s{1,3}(?P<secret>\S{4,200}+)",
        floor=0,
        check=_is_shell_password,
    ),
    rule(
        "command-option",
        "--",
        r"--(?:[a-z]{1,12}-){0,2}(?:pass[a-z]{0,6}|token|secret|key|bearer)[ =]{1,2}[\"']?"
        r"(?P<secret>[^\s\"'<>]{8,512}+)",
        check=_is_option,
    ),
    rule(
        "assigned-secret",
        NAMES,
        r"(?:pass(?:word|wd|wort|phrase|code)|pwd|secret|token|credential"
        r"|(?:api|access|private|auth|account)[_ -]?key|_auth)" + ASSIGNMENT,
        edge=False,
        ignore_case=True,
        check=_is_assigned,
    ),
    rule(
        "assigned-key",
        "_key -key",
        PUBLIC_KEYS + r"[_-]key" + ASSIGNMENT,
        edge=False,
        floor=3.0,
        ignore_case=True,
        check=_is_assigned_key,
    ),
)
