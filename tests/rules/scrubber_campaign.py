"""What the scrubber is judged on: secrets made at run time in varied surroundings, and clean texts found on this machine.

Invariant: no secret stands in this file; prefixes are joined to random characters when asked. The clean texts are
documents and code that nobody wrote for the scrubber. The same seed gives the same campaign on the same installation.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import sysconfig
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["KINDS", "Planted", "clean_texts", "left_over", "planted"]

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
BASE32 = string.ascii_uppercase + "234567"
MARK = re.compile(r"\[secret removed: [a-z0-9-]+\]")
PASSWORD = ALNUM + "!@#%^*+-_.="

Made = tuple[str, str]  # what is planted, and the secret part of it
Maker = Callable[[random.Random], Made]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """One secret in its surrounding. `secret` is written as it stands in `text`, escapes included."""

    kind: str
    surrounding: str
    text: str
    secret: str


def run(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choice(alphabet) for _ in range(length))


def shape(*parts: str | tuple[str, int]) -> Maker:
    """Makes a key of fixed parts and random runs (alphabet, length)."""

    def make(chance: random.Random) -> Made:
        key = "".join(part if isinstance(part, str) else run(chance, *part) for part in parts)
        return key, key

    return make


def guid(chance: random.Random) -> Made:
    key = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    return key, key


def within(before: str, alphabet: str, length: int, after: str) -> Maker:
    """Makes a text around a random secret, which alone must go."""

    def make(chance: random.Random) -> Made:
        secret = run(chance, alphabet, length)
        return before + secret + after, secret

    return make


def jwt(chance: random.Random) -> Made:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"sub": run(chance, LOWER, 8), "iat": chance.randrange(10**9), "scope": "read write"}
    key = f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{run(chance, URLSAFE, 43)}"
    return key, key


def basic(chance: random.Random) -> Made:
    pair = f"{run(chance, LOWER, 6)}:{run(chance, ALNUM, 14)}"
    secret = base64.b64encode(pair.encode()).decode()
    return "Authorization: Ba" + "sic " + secret, secret


def discord_bot(chance: random.Random) -> Made:
    name = base64.b64encode(str(chance.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    key = f"{name}.{run(chance, URLSAFE, 6)}.{run(chance, URLSAFE, 38)}"
    return key, key


def block(title: str, *, whole: bool = True, lines: int = 12) -> Maker:
    def make(chance: random.Random) -> Made:
        body = "\n".join(run(chance, BASE64, 64) for _ in range(lines))
        head = f"-----BEGIN {title}-----\n"
        return (head + body + (f"\n-----END {title}-----" if whole else "")), body

    return make


def aws_pair(chance: random.Random) -> Made:
    secret = run(chance, BASE64, 40)
    return f"{'AK' + 'IA'}{run(chance, BASE32, 16)} {secret}", secret


PRIVATE = "PRIVATE" + " KEY"


def gcp(chance: random.Random) -> Made:
    key, body = block(PRIVATE)(chance)
    account = {
        "type": "service_account",
        "private_key": key + "\n",
        "client_email": "robot@shop.iam.gserviceaccount.com",
    }
    return json.dumps(account), json.dumps(body)[1:-1]


# Kind: the name under which such a value stands in configuration ("" where the value gives itself away), and its maker.
KINDS: dict[str, tuple[str, Maker]] = {
    "waypost token": ("", shape("waypost" + "_user_", (ALNUM, 49))),
    "aws access id": ("", shape("AK" + "IA", (BASE32, 16))),
    "aws temporary id": ("", shape("AS" + "IA", (BASE32, 16))),
    "aws secret": ("aws secret access key", shape((BASE64, 40))),
    "aws id and secret": ("", aws_pair),
    "github classic": ("", shape("gh" + "p_", (ALNUM, 36))),
    "github oauth": ("", shape("gh" + "o_", (ALNUM, 36))),
    "github server": ("", shape("gh" + "s_", (ALNUM, 36))),
    "github fine-grained": ("", shape("github" + "_pat_", (ALNUM, 22), "_", (ALNUM, 59))),
    "gitlab personal": ("", shape("gl" + "pat-", (URLSAFE, 20))),
    "gitlab runner": ("", shape("gl" + "rt-", (URLSAFE, 20))),
    "slack bot": ("", shape("xo" + "xb-", (string.digits, 12), "-", (string.digits, 12), "-", (ALNUM, 24))),
    "slack app": ("", shape("xa" + "pp-1-A", (UPPER, 10), "-", (string.digits, 13), "-", (HEX, 64))),
    "slack webhook": ("", within("https://hooks." + "slack.com/services/", ALNUM + "/", 44, "")),
    "stripe live": ("", shape("sk" + "_live_", (ALNUM, 24))),
    "stripe restricted": ("", shape("rk" + "_test_", (ALNUM, 99))),
    "openai project": ("", shape("sk" + "-proj-", (URLSAFE, 74), "T3Blbk" + "FJ", (URLSAFE, 74))),
    "openai old": ("", shape("sk" + "-", (ALNUM, 20), "T3Blbk" + "FJ", (ALNUM, 20))),
    "openrouter": ("", shape("sk" + "-or-v1-", (HEX, 64))),
    "anthropic": ("", shape("sk" + "-ant-api03-", (URLSAFE, 93), "AA")),
    "google api": ("", shape("AI" + "za", (URLSAFE, 35))),
    "google oauth secret": ("", shape("GOC" + "SPX-", (URLSAFE, 28))),
    "google access": ("", shape("ya" + "29.a0", (URLSAFE, 160))),
    "service account": ("", gcp),
    "azure storage": ("", within("DefaultEndpointsProtocol=https;AccountName=store7;Account" + "Key=", BASE64, 86,
                                 "==;EndpointSuffix=core.windows.net")),
    "azure sas": ("", within("https://store7.blob.core.windows.net/box?sv=2024-11-04&sr=c&si" + "g=", ALNUM, 43, "%3D")),
    "azure client secret": ("", shape((ALNUM, 3), "8Q" + "~", (ALNUM, 34))),
    "npm": ("", shape("np" + "m_", (ALNUM, 36))),
    "pypi": ("", shape("py" + "pi-AgEIcHlwaS5vcmc", (URLSAFE, 150))),
    "docker hub": ("", shape("dckr" + "_pat_", (URLSAFE, 27))),
    "huggingface": ("", shape("hf" + "_", (string.ascii_letters, 34))),
    "twilio key": ("", shape("S" + "K", (HEX, 32))),
    "twilio auth": ("twilio auth token", shape((HEX, 32))),
    "sendgrid": ("", shape("S" + "G.", (URLSAFE, 22), ".", (URLSAFE, 43))),
    "mailgun old": ("", shape("ke" + "y-", (HEX, 32))),
    "mailgun": ("mailgun sending key", shape((HEX, 32), "-", (HEX, 8), "-", (HEX, 8))),
    "mailchimp": ("", shape((HEX, 32), "-u" + "s14")),
    "telegram bot": ("", shape((string.digits[1:], 10), ":A" + "A", (URLSAFE, 33))),
    "discord bot": ("", discord_bot),
    "discord webhook": ("", within("https://discord" + ".com/api/webhooks/1098765432101234567/", URLSAFE, 68, "")),
    "shopify": ("", shape("shp" + "at_", (HEX, 32))),
    "square": ("", shape("sq0" + "atp-", (URLSAFE, 22))),
    "square access": ("", shape("EAA" + "A", (URLSAFE, 60))),
    "digitalocean": ("", shape("do" + "p_v1_", (HEX, 64))),
    "heroku old": ("heroku api key", guid),
    "heroku": ("", shape("HR" + "KU-AA", (URLSAFE, 58))),
    "databricks": ("", shape("da" + "pi", (HEX, 32))),
    "vault": ("", shape("hv" + "s.", (URLSAFE, 95))),
    "terraform cloud": ("", shape((ALNUM, 14), ".atlas" + "v1.", (URLSAFE, 67))),
    "jwt": ("", jwt),
    "rsa key": ("", block("RSA " + PRIVATE)),
    "ec key": ("", block("EC " + PRIVATE, lines=4)),
    "openssh key": ("", block("OPENSSH " + PRIVATE)),
    "pgp key": ("", block("PGP " + PRIVATE + " BLOCK", lines=40)),
    "key without end": ("", block(PRIVATE, whole=False)),
    "basic-auth url": ("", within("https://deploy:", ALNUM, 16, "@git.internal/team/repo.git")),
    "database url": ("", within("postgresql+psycopg://app:", ALNUM + "!*-._~", 20, "@db.internal:5432/app?sslmode=require")),
    "redis url": ("", within("redis://:", ALNUM, 24, "@cache:6379/0")),
    "bearer header": ("", within("Authorization: Bea" + "rer ", URLSAFE, 40, "")),
    "basic header": ("", basic),
    "assigned password": ("db password", shape((PASSWORD, 16))),
    "assigned secret": ("client secret", shape((ALNUM, 32))),
    "assigned api key": ("weather api key", shape((HEX, 32))),
    "age": ("", shape("AGE-SECRET" + "-KEY-1", ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))),
    "linear": ("", shape("lin" + "_api_", (ALNUM, 40))),
    "notion": ("", shape("nt" + "n_", (ALNUM, 46))),
    "grafana": ("", shape("gl" + "sa_", (ALNUM, 32), "_", (HEX, 8))),
    "new relic": ("", shape("NR" + "AK-", (UPPER, 27))),
    "sentry": ("", shape("sntr" + "ys_eyJ", (BASE64, 120), "_", (BASE64, 43))),
    "supabase": ("", shape("sb" + "p_", (HEX, 40))),
    "supabase secret": ("", shape("sb_sec" + "ret_", (URLSAFE, 31))),
    "vercel": ("", shape("vc" + "p_", (ALNUM, 56))),
    "vercel old": ("vercel token", shape((ALNUM, 24))),
    "cloudflare": ("cloudflare api token", shape((URLSAFE, 40))),
    "airtable": ("", shape("pa" + "t", (ALNUM, 14), ".", (HEX, 64))),
    "atlassian": ("", shape("ATA" + "TT3", (URLSAFE, 180), "=", (UPPER, 8))),
    "figma": ("", shape("fi" + "gd_", (URLSAFE, 40))),
    "postman": ("", shape("PM" + "AK-", (HEX, 24), "-", (HEX, 34))),
    "doppler": ("", shape("dp" + ".pt.", (ALNUM, 43))),
    "tailscale": ("", shape("ts" + "key-auth-", (ALNUM, 17), "-", (ALNUM, 32))),
    "groq": ("", shape("gs" + "k_", (ALNUM, 52))),
    "replicate": ("", shape("r" + "8_", (ALNUM, 37))),
    "rubygems": ("", shape("ruby" + "gems_", (HEX, 48))),
    "planetscale": ("", shape("psc" + "ale_tkn_", (URLSAFE, 43))),
}  # fmt: skip


Surrounding = Callable[[str, str, Made], Made]


def _plain(template: str) -> Surrounding:
    """A template with {words}, {snake}, {upper}, {camel} and {it}, into which the value goes as it is."""

    def put(name: str, own: str, made: Made) -> Made:
        words = name or own
        snake = words.replace(" ", "_")
        camel = "".join(part.title() for part in words.split())
        return template.format(words=words, snake=snake, upper=snake.upper(), camel=camel, it=made[0]), made[1]

    return put


def _json(name: str, own: str, made: Made) -> Made:
    text = json.dumps({"id": 17, (name or own).replace(" ", "_"): made[0], "active": True}, indent=2)
    return text, json.dumps(made[1])[1:-1]


def _json_in_json(name: str, own: str, made: Made) -> Made:
    inner, secret = _json(name, own, made)
    return json.dumps({"body": inner}), json.dumps(secret)[1:-1]


def _url(name: str, own: str, made: Made) -> Made:
    query = urllib.parse.quote(made[0], safe="")
    text = f"GET https://api.internal/v2/run?{(name or own).replace(' ', '_')}={query}&page=2 took 31 ms"
    return text, urllib.parse.quote(made[1], safe="")


SURROUNDINGS: dict[str, Surrounding] = {
    "prose": _plain("Before you deploy: the {words} is {it} and the old one ends on Friday.\nTell me when it is done."),
    "sentence": _plain("Could you check whether the {words} was {it}."),
    "json": _json,
    "yaml": _plain("service:\n  replicas: 2\n  {snake}: {it}\n  region: north\n"),
    "env": _plain("MODE=fast\nexport {upper}={it}\nPORT=8080\n"),
    "env quoted": _plain("{upper}='{it}'\n"),
    "code": _plain('async function open() {{\n  const {camel} = "{it}";\n  return connect({camel});\n}}'),
    "call": _plain('client = Client(region="north", {snake}="{it}", timeout=30)'),
    "log": _plain("2026-03-04T10:11:12.123Z INFO [worker-3] retrying {snake}={it} attempt=2"),
    "markdown": _plain("| setting | value |\n|---|---|\n| `{upper}` | `{it}` |\n"),
    "url": _url,
    "json in json": _json_in_json,
}
NOT_BARE = {"azure sas", "slack webhook", "discord webhook", "basic-auth url", "database url", "redis url",
                 "bearer header", "basic header", "azure storage", "service account", "aws id and secret"}  # fmt: skip
NOT_IN_URLS = NOT_BARE | {"rsa key", "ec key", "openssh key", "pgp key", "key without end"}
OWN_NAMES = ("value", "item", "entry", "field two")


def planted(each: int, seed: int) -> Iterator[Planted]:
    """`each` secrets of every kind, each in another surrounding."""
    chance = random.Random(seed)
    for kind, (name, maker) in KINDS.items():
        fitting = [key for key in SURROUNDINGS if not (key == "url" and kind in NOT_IN_URLS)]
        chosen = chance.sample(fitting, min(each, len(fitting)))
        for surrounding in chosen:
            text, secret = SURROUNDINGS[surrounding](name, chance.choice(OWN_NAMES), maker(chance))
            yield Planted(kind=kind, surrounding=surrounding, text=text, secret=secret)


def left_over(secret: str, text: str, *, window: int = 8) -> bool:
    """Whether any `window` neighbouring characters of the secret still stand in the text."""
    unmarked = MARK.sub("\0", text)
    return any(secret[at : at + window] in unmarked for at in range(max(1, len(secret) - window + 1)))


def clean_texts(count: int, seed: int, *, about: tuple[str, ...] = ()) -> list[str]:
    """`count` passages of installed documents and code; with `about`, only such as hold one of these words."""
    chance = random.Random(seed)
    sources = _sources()
    found: list[str] = []
    while len(found) < count:
        group = sources[len(found) % len(sources)]
        passage = _passage(chance.choice(group), chance)
        if passage and (not about or any(word in passage.lower() for word in about)):
            found.append(passage)
    return found


def _sources() -> list[list[Path]]:
    """Files by kind: the library's code, installed code, documents, and lists of hashes. One list a kind, sorted."""
    paths = sysconfig.get_paths()
    library, installed = Path(paths["stdlib"]), Path(paths["purelib"])
    here = Path(__file__).resolve().parents[2]
    code = [path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts]
    packages = sorted(installed.rglob("*.py"))
    documents = sorted(
        path
        for pattern in ("METADATA", "*.md", "*.rst", "*.txt", "*.json", "*.toml")
        for path in installed.rglob(pattern)
    )
    hashes = sorted([*installed.rglob("RECORD"), *here.glob("requirements/*.txt")])
    return [group for group in (code, packages, documents, code, packages, documents, hashes) if group]


def _passage(path: Path, chance: random.Random) -> str:
    """Some lines of the file, at most 1,200 characters; nothing where it is not text."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    lines = text.splitlines()
    if len(lines) < 3:
        return ""
    start = chance.randrange(len(lines))
    return "\n".join(lines[start : start + chance.randrange(4, 30)])[:1200].strip()
