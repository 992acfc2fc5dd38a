"""What access follows from a token and grants, and what a token looks like as text."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from tests.rules.test_identity_rules import Town, project
from waypost.identity.access import AGENT_RIGHTS, EVERYTHING, Access, Right, Token, access_of_token
from waypost.identity.errors import BoundElsewhere, TokenRefused
from waypost.identity.models import Claim, ScopeSource
from waypost.identity.rules import resolve
from waypost.identity.token_text import TokenKind, digest_of, is_token, make_token, shown_part
from waypost.kernel.addresses import ProjectName
from waypost.kernel.text import scrub

PROJECTS = st.sampled_from(["a", "b", "c"])
RIGHTS = st.frozensets(st.sampled_from(list(Right)))
GRANTS = st.dictionaries(PROJECTS, RIGHTS)
ME = "user-me"


def token(kind: TokenKind, *, project_id: str | None = None, expires_at: int | None = None) -> Token:
    """A good token of maria."""
    return Token(
        id="t",
        kind=kind,
        name="",
        shown="",
        user_id=ME,
        user="maria",
        user_removed=False,
        project_id=project_id,
        created_at=0,
        expires_at=expires_at,
        revoked_at=None,
        last_used_at=None,
        version=1,
    )


@promise("rights.user.token")
@given(grants=GRANTS, limits=GRANTS, right=st.sampled_from(list(Right)), where=PROJECTS)
def test_a_persons_token_has_the_grants_and_nothing_else(grants: dict, limits: dict, right: Right, where: str) -> None:  # type: ignore[type-arg] # Hypothesis made them
    access = access_of_token(token(TokenKind.USER), grants=grants, limits=limits)
    assert access.may(right, where) is (right in grants.get(where, ()))
    assert access.knows(where) is bool(grants.get(where))
    assert access.readable == frozenset([*(one for one, rights in grants.items() if Right.READ in rights), ME])


@promise("rights.agent.at_most_its_users")
@given(grants=GRANTS, limits=GRANTS, right=st.sampled_from(list(Right)), where=PROJECTS)
def test_an_agents_token_has_at_most_its_persons_grants_to_read_and_write(
    grants: dict,  # type: ignore[type-arg] # Hypothesis made them
    limits: dict,  # type: ignore[type-arg] # as above
    right: Right,
    where: str,
) -> None:
    access = access_of_token(token(TokenKind.AGENT, project_id="a"), grants=grants, limits=limits)
    granted = right in grants.get(where, ()) and right in AGENT_RIGHTS
    assert access.may(right, where) is (granted and (not limits or right in limits.get(where, ())))


@given(right=st.sampled_from(list(Right)), where=PROJECTS, grants=GRANTS)
def test_the_operator_and_who_needs_no_token_may_do_everything(right: Right, where: str, grants: dict) -> None:  # type: ignore[type-arg] # as above
    for access in (EVERYTHING, access_of_token(token(TokenKind.OPERATOR), grants=grants, limits={})):
        assert access.may(right, where)
        assert access.readable is None
        assert access.known is None


def test_everybody_reads_and_writes_his_own_mailbox_and_no_other_persons() -> None:
    access = Access(grants={}, user_id=ME)
    assert [right for right in Right if access.may(right, ME)] == [Right.READ, Right.WRITE]
    assert not any(access.may(right, "user-you") for right in Right)
    assert access.readable == frozenset({ME})


@promise("rights.token.revoked", "rights.token.expired")
def test_a_token_is_good_until_the_very_instant_that_it_expires() -> None:
    limited = token(TokenKind.USER, expires_at=100)
    limited.refuse_expired(99)
    with pytest.raises(TokenRefused):
        limited.refuse_expired(100)
    token(TokenKind.USER).refuse_expired(2**62)


BOUND = Claim(bound_project="a", explicit=None)


@promise("rights.agent.token")
def test_the_project_of_an_agents_token_is_certain_and_no_other_is_taken() -> None:
    town = Town(projects={"a": project("a"), "b": project("b")}, sessions={"SB": "b", "SA": "a"}, active="b")
    found = resolve(BOUND, town)
    assert (found.project, found.source, found.source.certain) == (project("a"), ScopeSource.TOKEN, True)
    assert resolve(Claim(bound_project="a", session="SA"), town).session_known
    assert resolve(Claim(bound_project="a", session="SB"), town).source is ScopeSource.MISMATCH
    named = ProjectName(workspace="default", project="a")
    assert resolve(Claim(bound_project="a", explicit=named), town).source is ScopeSource.TOKEN
    sentences = []
    for other in ("b", "no-such-project"):
        with pytest.raises(BoundElsewhere) as refused:
            resolve(Claim(bound_project="a", explicit=ProjectName(workspace="default", project=other)), town)
        sentences.append(refused.value.detail)
    assert len(set(sentences)) == 1
    gone = resolve(BOUND, Town())
    assert (gone.project, gone.source.guessed) == (None, True)


@promise("rights.tokens.hashed")
@pytest.mark.parametrize("kind", list(TokenKind))
def test_a_token_is_known_by_its_shape_and_kept_as_a_hash(kind: TokenKind) -> None:
    made = {make_token(kind) for _ in range(20)}
    assert len(made) == 20
    for secret in made:
        assert is_token(secret)
        assert secret.startswith(f"waypost_{kind}_")
        assert digest_of(secret) == hashlib.sha256(secret.encode()).hexdigest()
        assert secret.startswith(shown_part(secret))
        assert len(secret) - len(shown_part(secret)) >= 40
        assert secret not in scrub(f"use {secret}.").text


@given(at=st.integers(min_value=0, max_value=60), other=st.characters(min_codepoint=33, max_codepoint=126))
def test_a_mistyped_token_is_told_from_an_unknown_one_without_a_store(at: int, other: str) -> None:
    secret = make_token(TokenKind.USER)
    wrong = secret[:at] + other + secret[at + 1 :]
    assert is_token(wrong) is (wrong == secret)
    assert not is_token(secret[:-1])
    assert not is_token(secret + "\n")
