"""Secrets are removed whole, ordinary texts are left alone, and scrubbing again changes nothing."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.promises.marks import promise
from tests.rules.scrubber_campaign import ALNUM, HEX, KINDS, clean_texts, left_over, planted, run
from waypost.kernel.text import accept_text, scrub
from waypost.kernel.text.scrub import INDEX, RULES, mark

GITHUB = "gh" + "p_"
BEGIN = "-----BEGIN " + "RSA PRIVATE" + " KEY-----"
CLEAN_COUNT = 500


def chance() -> random.Random:
    return random.Random(20)


def secret_texts() -> st.SearchStrategy[str]:
    """Texts in which keywords, keys, marks and separators stand close together, as no real text has them."""
    keywords = [keyword for rule in RULES for keyword in rule.keywords]
    dice = chance()
    keys = [maker(dice)[0] for _, maker in KINDS.values()]
    pieces = st.one_of(
        st.sampled_from(keywords),
        st.sampled_from(keys),
        st.sampled_from([mark(rule.id) for rule in RULES]),
        st.sampled_from(["=", ": ", " is ", "'", '"', "\\n", "%3A", "-", "_", ".", " ", "\n", "@", "/", "x"]),
        st.text(alphabet=ALNUM + "-_=+/.", max_size=40),
        st.text(max_size=5),
    )
    return st.lists(pieces, max_size=12).map("".join)


@promise("text.scrub.recall")
def test_at_least_97_of_100_planted_secrets_are_removed_whole() -> None:
    secrets = list(planted(5, seed=7))
    missed = [
        (one.kind, one.surrounding)
        for one in secrets
        for done in [scrub(one.text)]
        if not done.removed or left_over(one.secret, done.text)
    ]
    assert len({one.kind for one in secrets}) >= 30
    assert len(secrets) >= 5 * len(KINDS) - len(KINDS)
    assert 1 - len(missed) / len(secrets) >= 0.97, missed


@promise("text.scrub.recall")
def test_no_kind_is_missed_in_most_of_its_surroundings() -> None:
    found = dict.fromkeys(KINDS, 0)
    for one in planted(3, seed=11):
        found[one.kind] += not left_over(one.secret, scrub(one.text).text)
    assert [kind for kind, count in found.items() if count < 2] == []


@promise("text.scrub.false_alarms")
def test_at_most_5_of_1000_clean_texts_are_touched() -> None:
    touched = [text for text in clean_texts(CLEAN_COUNT, seed=7) if scrub(text).removed]
    assert len(touched) / CLEAN_COUNT <= 0.005, touched


@promise("text.scrub.false_alarms")
@pytest.mark.parametrize(
    "text",
    [
        "export " + "API_KEY=<your-key>",
        "pass" + "word: ${DB_PASSWORD}",
        "token = os.environ['SERVICE_TOKEN2']",
        "sec" + "ret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "AK" + "IA" + "IOSFODNN7" + "EXAMPLE",
        GITHUB + "x" * 36,
        "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 changes the token check",
        "id 0190a6b2-7c1d-7e3f-8a4b-5c6d7e8f9a0b stays",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "http://localhost:8080/@scope/package",
        "https://user:password@host/ as the documentation writes it",
        "see https://user@host:22/path",
        "password_file=/run/secrets/db1x token_count=128000x api_key_id: abcd1234efgh",
        "def check(password: str | None = None, token: Token2 = DEFAULT_TOKEN2) -> None:",
        BEGIN + " begins such a file",
    ],
)
def test_placeholders_digests_and_code_are_left_alone(text: str) -> None:
    assert scrub(text).text == text


@promise("text.scrub.recall")
def test_the_answer_counts_what_was_removed_and_names_its_kinds() -> None:
    dice = chance()
    text = (
        f"{GITHUB}{run(dice, ALNUM, 36)} and {GITHUB}{run(dice, ALNUM, 36)}, waypost" + "_agent_" + run(dice, ALNUM, 49)
    )
    done = scrub(text)
    assert done.text == f"{mark('github-token')} and {mark('github-token')}, {mark('waypost-token')}"
    assert (done.removed, done.kinds) == (3, ("github-token", "waypost-token"))


@promise("text.scrub.recall")
@pytest.mark.parametrize("before", ["", " ", "=", "\\n", "%3A", "\\u003d", "\x1b[32m", "ключ", "'"])
def test_a_key_is_found_whatever_stands_before_it(before: str) -> None:
    key = GITHUB + run(chance(), ALNUM, 36)
    assert scrub(before + key).text == before + mark("github-token")


@promise("text.scrub.recall")
def test_a_key_longer_than_its_rule_leaves_no_tail() -> None:
    key = GITHUB + run(chance(), ALNUM, 400)
    assert scrub(f"key {key} end").text == f"key {mark('github-token')} end"


@promise("text.scrub.recall")
def test_a_private_key_without_an_end_goes_and_the_sentence_after_it_stays() -> None:
    dice = chance()
    body = "\n".join(run(dice, ALNUM, 64) for _ in range(5))
    assert scrub(f"{BEGIN}\n{body}\n\nand that was all").text == f"{mark('private-key')}\n\nand that was all"
    assert scrub(f"{BEGIN}\n{body}\nab12").text == mark("private-key")


@promise("text.scrub.recall")
def test_of_a_url_only_the_password_goes() -> None:
    secret = run(chance(), ALNUM, 16)
    done = scrub(f"postgresql://app:{secret}@db:5432/app")
    assert done.text == f"postgresql://app:{mark('url-password')}@db:5432/app"


@promise("text.scrub.recall")
def test_every_keyword_of_an_anchored_rule_is_looked_for() -> None:
    known = {keyword for entries in INDEX.headed.values() for keyword, _ in entries}
    known |= {keyword for keyword, _ in INDEX.for_keys}
    known |= {keyword for entries in INDEX.for_all.values() for keyword, _ in entries}
    assert known == {keyword for rule in RULES if rule.anchored for keyword in rule.keywords}
    for keyword in known:
        assert keyword in {entry for entry, _ in INDEX.present(f"see {keyword} there", keys=True)}


@given(secret_texts())
@example(json.dumps({"pass" + "word": "[secret removed: jwt]"}))
def test_scrubbing_again_changes_nothing(text: str) -> None:
    once = scrub(text)
    again = scrub(once.text)
    assert (again.text, again.removed) == (once.text, 0)


@given(st.text(alphabet=st.characters(exclude_categories=())))
@example("İ" * 3 + " " + GITHUB + run(chance(), HEX, 36))
def test_any_text_can_be_scrubbed(text: str) -> None:
    done = scrub(text)
    assert (done.removed == 0) == (done.text == text)
    assert not left_over(GITHUB + run(chance(), HEX, 36), done.text)


@promise("text.scrub.before_measure")
@given(st.integers(min_value=0, max_value=60), st.booleans())
def test_a_secret_across_the_limit_leaves_no_half(offset: int, spaced: bool) -> None:
    limit = 200
    secret = GITHUB + run(chance(), ALNUM, 36)
    text = "a " * ((limit - offset) // 2) + secret + (" tail" * 40 if spaced else "")
    taken = accept_text(text, field="body", limit=limit, truncate=True)
    assert not left_over(secret, taken.text, window=6)
    assert len(taken.text) <= limit
    assert taken.removed == 1


@promise("text.scrub.before_measure")
def test_a_text_that_fits_without_its_secrets_is_taken() -> None:
    secret = "github" + "_pat_" + run(chance(), ALNUM, 80)
    taken = accept_text(f"use {secret}", field="body", limit=60)
    assert (taken.text, taken.truncated) == (f"use {mark('github-fine-grained')}", False)
