"""Which texts are secrets: the rule type, and the table of keys that a vendor's own prefix or shape gives away.

Invariant: each pattern's quantifiers are bounded, so that a rule costs at most a constant for each occurrence of its
keyword (tests audit the patterns themselves). What only its surroundings give away (assignments, URLs, headers, key
blocks) stands in `scrub_shapes`; this module knows nothing of replacing, fields or limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["VENDOR_RULES", "Rule", "entropy", "is_placeholder", "rule", "secret_span"]

ENTROPY_FLOOR = 2.5  # bits a character; below it a "key" is a row of equal characters in somebody's documentation
DISTINCT_FLOOR = 6  # characters; a real key of 16 or more has more different ones

# What documentation writes where a key would stand. Compared lower-case, anywhere in the value.
PLACEHOLDER_WORDS = (
    "example", "placeholder", "xxxx", "your_", "your-", "yourkey", "yourtoken", "yoursecret", "yourpass", "changeme",
    "change-me", "change_me", "redacted", "****", "....", "…", "dummy", "insert", "replace", "not-a-real", "notreal",
    "012345678", "123456789", "abcdefgh", "abcd1234", "abc123", "deadbeef", "-here", "_here",
    # The user and password of RFC 7617, `user:pass`, and the payload of the JWT that every page about JWT shows.
    "qwxhzgrpbjpvcgvuihnlc2ftzq", "dxnlcjpwyxnz", "eyjzdwiioiixmjm0nty3odkwi",
)  # fmt: skip
TEMPLATE = re.compile(r"\$\{|\{\{|\}\}|<[A-Za-z]|\$\(|%\(|%s|\A\$[A-Za-z_]|\A\{|\A<")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of secret. `keywords` are lower-case; an anchored pattern is tried where one of them stands, another
    kind searches the text when one is there (or always, without keywords). The group `secret`, or else the whole match,
    is what is removed. `edge` wants no letter, digit or underscore before the match."""

    id: str
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]
    anchored: bool = True
    edge: bool = True
    floor: float = ENTROPY_FLOOR
    check: Callable[[re.Match[str]], bool] | None = None
    allow_placeholders: bool = True


def rule(
    rule_id: str,
    keywords: str | tuple[str, ...],
    pattern: str,
    *,
    anchored: bool = True,
    edge: bool = True,
    floor: float = ENTROPY_FLOOR,
    check: Callable[[re.Match[str]], bool] | None = None,
    ignore_case: bool = False,
    allow_placeholders: bool = True,
) -> Rule:
    """A rule from a row of the table; `keywords` given as one text are separated by spaces."""
    flags = re.ASCII | (re.IGNORECASE if ignore_case else 0)
    return Rule(
        id=rule_id,
        keywords=tuple(keywords.split()) if isinstance(keywords, str) else keywords,
        pattern=re.compile(pattern, flags),
        anchored=anchored,
        edge=edge,
        floor=floor,
        check=check,
        allow_placeholders=allow_placeholders,
    )


def entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, in bits a character."""
    size = len(value)
    return -sum((n := value.count(char) / size) * math.log2(n) for char in set(value))


def is_placeholder(value: str) -> bool:
    """Whether `value` is what documentation writes instead of a key: `<your-key>`, `xxxx`, `EXAMPLE`, `${VAR}`."""
    lowered = value.lower()
    if any(word in lowered for word in PLACEHOLDER_WORDS) or TEMPLATE.search(value):
        return True
    return len(value) >= 16 and len(set(lowered)) < DISTINCT_FLOOR


def secret_span(rule: Rule, match: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret of this match stands, or None where entropy, allow list or the rule's own check let it pass."""
    start, end = match.span("secret") if "secret" in rule.pattern.groupindex else match.span()
    value = match.string[start:end]
    if rule.floor and entropy(value) < rule.floor:
        return None
    if rule.allow_placeholders and is_placeholder(value):
        return None
    if rule.check is not None and not rule.check(match):
        return None
    return start, end


def _named(match: re.Match[str]) -> bool:
    """Between the vendor's name and the value stands a word that calls the value a credential."""
    between = match.string[match.start() : match.start("secret")].lower()
    return any(word in between for word in ("key", "token", "secret", "auth", "pass", "credential"))


def _mixed(match: re.Match[str]) -> bool:
    """Upper case, lower case and digits all occur, and few slashes: random base64, not a digest, path or name."""
    value = match.group("secret")
    if value.count("/") > 4:
        return False
    return any(c.isupper() for c in value) and any(c.islower() for c in value) and any(c.isdigit() for c in value)


def _named_and_mixed(match: re.Match[str]) -> bool:
    return _named(match) and _mixed(match)


UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

VENDOR_RULES: tuple[Rule, ...] = (
    rule("waypost-token", "waypost_", r"waypost_(?:operator|user|agent)_[0-9A-Za-z]{49}(?![0-9A-Za-z])",
         allow_placeholders=False),
    # Clouds
    rule("aws-access-id", "akia asia abia acca", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    rule(
        "aws-secret-key",
        "aws akia asia secretaccesskey secret_access_key secret-access-key",
        r"(?:aws|A[KS]IA[A-Z0-9]{16}|secret[_-]?access[_-]?key)[\s\S]{0,80}?"
        r"(?<![A-Za-z0-9/+])(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        edge=False, floor=4.0, ignore_case=True, check=_mixed,
    ),
    rule("aws-session-token", "iqojb3jpz2lu fwogzxivyxdz fqogzxivyxdz",
         r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/]{60,2048}={0,2}"),
    rule("aws-bedrock-key", "absk", r"ABSK[A-Za-z0-9+/]{100,280}={0,2}"),
    rule("google-api-key", "aiza", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    rule("google-api-key", "aq.", r"AQ\.[A-Za-z0-9_-]{50,120}"),
    rule("google-oauth", "ya29. gocspx- 1//0",
         r"(?:ya29\.[A-Za-z0-9_-]{20,1024}|GOCSPX-[A-Za-z0-9_-]{24,40}|1//0[A-Za-z0-9_-]{40,200})"),
    rule("azure-storage-key", "accountkey sharedaccesskey",
         r"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,90}={0,2})", edge=False, ignore_case=True),
    rule("azure-sas", "sig=", r"sig=(?P<secret>(?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){40,100}+={0,2})"),
    rule("azure-client-secret", "q~", r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
         anchored=False, floor=3.0),
    rule("azure-devops-pat", "azdo", r"(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])",
         anchored=False),
    rule("alibaba-key", "ltai", r"LTAI[A-Za-z0-9]{17,21}(?![A-Za-z0-9])", floor=3.0),
    rule("tencent-key", "akid", r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])", floor=3.0),
    rule("yandex-key", "aqvn", r"AQVN[A-Za-z0-9_-]{35,40}"),
    rule("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    rule("heroku-key", "hrku-", r"HRKU-[A-Za-z0-9_-]{30,80}"),
    rule("heroku-key", "heroku", rf"heroku[^\n]{{0,60}}?(?<![0-9a-f-])(?P<secret>{UUID})", edge=False, ignore_case=True,
         check=_named),
    rule("cloudflare-token", "cfut_ cfat_ cfk_", r"cf(?:ut|at|k)_[A-Za-z0-9]{40,60}"),
    rule("cloudflare-token", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    rule("cloudflare-token", "cloudflare cf_api cf-api",
         r"(?:cloudflare|cf[_-]api)[^\n]{0,60}?"
         r"(?<![A-Za-z0-9_-])(?P<secret>[A-Za-z0-9_-]{40}|[0-9a-f]{37})(?![A-Za-z0-9_-])",
         edge=False, floor=3.2, ignore_case=True, check=_named),
    rule("vercel-token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_",
         r"(?:vc[piark]_[A-Za-z0-9]{24,80}|vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30})"),
    rule("vercel-token", "vercel", r"vercel[^\n]{0,60}?(?<![A-Za-z0-9_/-])(?P<secret>[A-Za-z0-9]{24})(?![A-Za-z0-9_-])",
         edge=False, floor=3.2, ignore_case=True, check=_named_and_mixed),
    rule("netlify-token", "nfp_", r"nfp_[A-Za-z0-9]{36,44}"),
    rule("render-key", "rnd_", r"rnd_[A-Za-z0-9]{28,40}(?![A-Za-z0-9_])"),
    rule("fly-token", "fo1_ fm2_ fm1r_", r"(?:fo1_|fm2_|fm1r_)[A-Za-z0-9+/_-]{40,1024}={0,2}"),
    rule("scaleway-key", "scw", r"SCW[A-Z0-9]{17}(?![A-Za-z0-9])", floor=3.0),
    # Code hosts, registries and builds
    rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{36,255}"),
    rule("github-fine-grained", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    rule("gitlab-token", "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct-",
         r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[A-Za-z0-9_-]{20,300}"
         r"(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?"),
    rule("gitlab-runner", "gr1348941", r"GR1348941[A-Za-z0-9_-]{20,40}"),
    rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36,80}"),
    rule("pypi-token", "pypi-age", r"pypi-AgE[A-Za-z0-9_-]{50,1000}"),
    rule("docker-token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{27,64}"),
    rule("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    rule("crates-token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9_])", floor=3.5),
    rule("nuget-key", "oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])", floor=3.2),
    rule("artifactory-key", "akcp", r"AKCp[A-Za-z0-9]{60,80}"),
    rule("buildkite-token", "bkua_", r"bkua_[0-9a-f]{40}"),
    rule("sonar-token", "squ_ sqp_ sqa_", r"sq[upa]_[0-9a-f]{40}"),
    rule("sourcegraph-token", "sgp_", r"sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    rule("postman-key", "pmak-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    rule("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    rule("terraform-token", ".atlasv1.", r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}",
         anchored=False),
    rule("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,300}"),
    rule("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
         r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,80}"),
    rule("onepassword-token", "ops_eyj", r"ops_eyJ[A-Za-z0-9+/_-]{100,2048}={0,2}"),
    rule("age-key", "age-secret-key-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,120}"),
    rule("tailscale-key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9_-]{16,80}"),
    rule("openshift-token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    rule("databricks-token", "dapi", r"dapi[0-9a-h]{32}(?:-[0-9]{1,2})?(?![A-Za-z0-9])", floor=3.0),
    # Models and the tools around them
    rule("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9]{2,12}-[A-Za-z0-9_-]{20,200}"),
    rule("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-none- sk-or- sk-lf- sk-litellm-",
         r"sk-(?:proj|svcacct|admin|None|or|lf|litellm)-[A-Za-z0-9_-]{20,300}"),
    rule("openai-key", "sk-", r"sk-[A-Za-z0-9]{32,128}(?![A-Za-z0-9-])", floor=3.2),
    rule("huggingface-token", "hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z0-9]{30,44}(?![A-Za-z0-9_])", floor=3.2),
    rule("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}"),
    rule("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37,40}(?![A-Za-z0-9_])"),
    rule("xai-key", "xai-", r"xai-[A-Za-z0-9]{60,100}"),
    rule("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    rule("nvidia-key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{50,90}"),
    rule("tavily-key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9_-]{24,64}", floor=3.2),
    rule("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9_]{40,90}"),
    rule("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    rule("jina-key", "jina_", r"jina_[A-Za-z0-9]{50,70}"),
    rule("e2b-key", "e2b_", r"e2b_[0-9a-f]{40}"),
    rule("cursor-key", "crsr_", r"crsr_[0-9a-f]{60,70}"),
    rule("context7-key", "ctx7sk-", rf"ctx7sk-{UUID}"),
    # Messages and people
    rule("slack-token", "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp-",
         r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{15,250}"),
    rule("slack-webhook", "hooks.slack.com",
         r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/+_-]{20,200})", edge=False),
    rule("discord-webhook", "discord.com/api discordapp.com/api",
         r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{15,21}/(?P<secret>[A-Za-z0-9_-]{50,90})",
         edge=False),
    # A bot's id in base64: digits become these letters, whatever the digits are. It has no keyword at all.
    rule("discord-bot", "",
         r"[MNO][DTjz](?<![A-Za-z0-9_-]..)[A-Za-z0-9]{2}[MNO][DTjz][A-Za-z0-9]{2}[MNO][DTjz][A-Za-z0-9_-]{14,22}"
         r"\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40}", anchored=False),
    rule("teams-webhook", "webhook.office.com",
         rf"webhook\.office\.com/webhookb2/(?P<secret>{UUID}@[A-Za-z0-9/@-]{{40,200}})", edge=False),
    rule("telegram-token", ":aa %3aaa", r"(?<![0-9])[0-9]{8,10}(?::|%3[Aa])AA[A-Za-z0-9_-]{32,35}(?![A-Za-z0-9_-])", anchored=False),
    rule("twilio-key", "sk", r"SK[0-9a-f]{32}(?![A-Za-z0-9])", floor=3.0),
    rule("twilio-key", "twilio", r"twilio[^\n]{0,60}?(?<![A-Za-z0-9])(?P<secret>[0-9a-f]{32})(?![A-Za-z0-9])",
         edge=False, floor=3.0, ignore_case=True, check=_named),
    rule("sendgrid-key", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    rule("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])", floor=3.0),
    rule("mailgun-key", "mailgun", r"mailgun[^\n]{0,60}?(?<![0-9a-f])(?P<secret>[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})",
         edge=False, floor=3.0, ignore_case=True),
    rule("mailchimp-key", "-us", r"(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])", anchored=False,
         floor=3.0),
    rule("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    rule("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}(?![A-Za-z0-9_])", floor=3.5),
    # Money
    rule("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_",
         r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}"),
    rule("signing-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    rule("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_", r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}"),
    rule("square-token", "sq0atp- sq0csp-", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}"),
    rule("square-token", "eaaa", r"EAAA[A-Za-z0-9_-]{60}(?![A-Za-z0-9_-])", floor=3.5),
    rule("meta-token", "eaa", r"EAA[A-Za-z0-9]{90,400}", floor=3.5),
    rule("plaid-token", "access-sandbox- access-development- access-production-",
         rf"access-(?:sandbox|development|production)-{UUID}"),
    # Work and watching
    rule("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}"),
    rule("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,60}"),
    rule("notion-token", "secret_", r"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9_])", floor=3.5),
    rule("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])"),
    rule("atlassian-token", "atatt3 atctt3", r"AT[AC]TT3[A-Za-z0-9_=-]{60,300}"),
    rule("bitbucket-token", "atbb", r"ATBB[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    rule("figma-token", "figd_", r"figd_[A-Za-z0-9_-]{36,60}"),
    rule("grafana-token", "glsa_ glc_", r"(?:glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})"),
    rule("newrelic-key", "nrak- nrii- nrra- nriq- nraa-", r"NR(?:AK|II|RA|IQ|AA)-[A-Za-z0-9_-]{24,48}"),
    rule("newrelic-key", "nral", r"(?<![A-Za-z0-9])[0-9a-zA-Z]{32,40}NRAL(?![A-Za-z0-9])", anchored=False),
    rule("sentry-token", "sntrys_ sntryu_", r"sntry[su]_(?:[A-Za-z0-9+/_-]|%2[BF]){60,1024}+={0,2}"),
    rule("dynatrace-token", "dt0c01. dt0s", r"dt0[cs][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    rule("posthog-key", "phx_", r"phx_[A-Za-z0-9]{40,60}"),
    rule("mapbox-token", "sk.eyj", r"sk\.eyJ[A-Za-z0-9_-]{40,400}\.[A-Za-z0-9_-]{16,64}"),
    # Databases
    rule("supabase-key", "sbp_ sb_secret_", r"(?:sbp_(?:oauth_)?[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,80})"),
    rule("planetscale-key", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,80}"),
    rule("neon-key", "napi_", r"napi_[a-z0-9]{60,80}"),
)  # fmt: skip
