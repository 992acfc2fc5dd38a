"""Guards of rights: what is kept of a token, when it ends, what an agent's is bound to, and who may know and do what."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

MATRIX = "tests/operations/test_rights_matrix.py"
RIGHTS = "tests/operations/test_rights.py"
DOOR = "tests/doors/test_authentication.py"


def guard(promise: str, file: str, snippet: str, replacement: str, *tests: str) -> Guard:
    """A guard, tried by what pytest is given."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=tests)


GUARDS = [
    guard(
        "rights.tokens.hashed",
        "identity/credential_store.py",
        '        "digest": digest_of(token_text),\n        "project_id"',
        '        "digest": token_text,\n        "project_id"',
        RIGHTS,
        "-k",
        "hash",
    ),
    guard(
        "rights.token.shown_once",
        "operations/pipeline.py",
        "operation.kept(output) if operation.kept else output",
        "output",
        RIGHTS,
        "-k",
        "hash",
    ),
    guard(
        "rights.token.revoked",
        "operations/authority.py",
        "        raise TokenRefused(UNKNOWN)\n    token.refuse_revoked()\n    grants",
        "        raise TokenRefused(UNKNOWN)\n    grants",
        MATRIX,
        "-k",
        "taken_back and sqlite and activity",
    ),
    guard(
        "rights.token.expired",
        "operations/pipeline.py",
        "            raise\n        unit.authority.refuse_expired(tx)\n",
        "            raise\n",
        MATRIX,
        "-k",
        "taken_back and sqlite and activity",
    ),
    guard(
        "rights.agent.token",
        "identity/rules.py",
        "    if claim.explicit is not None and (project is None or claim.explicit != project.label):",
        "    if False:",
        "tests/rules/test_access_rules.py",
    ),
    guard(
        "rights.agent.at_most_its_users",
        "identity/access.py",
        "        yield project_id, rights & most & AGENT_RIGHTS",
        "        yield project_id, most & AGENT_RIGHTS",
        "tests/rules/test_access_rules.py",
    ),
    guard(
        "rights.user.token",
        "operations/registry.py",
        "        if self.may(right, project.id):\n",
        "        if self.access.knows(project.id):\n",
        MATRIX,
        "-k",
        "table_says and sqlite and message",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "identity/visible.py",
        "        return project if project is not None and self._access.knows(project.id) else None",
        "        return project",
        MATRIX,
        "-k",
        "refused_exactly and sqlite",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "operations/records.py",
        "names.sender if names.may_read_sender else None",
        "names.sender",
        RIGHTS,
        "-k",
        "tells_nothing and sqlite",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "operations/registry.py",
        "        if found is None or not self.sees(found):\n",
        "        if found is None:\n",
        MATRIX,
        "-k",
        "refused_exactly and sqlite",
    ),
    guard(
        "rights.send.needs_write",
        "operations/destination.py",
        "    unit.need(Right.WRITE, found)\n",
        "",
        RIGHTS,
        "-k",
        "at_once and sqlite",
    ),
    guard(
        "auth.required.everywhere",
        "server/app.py",
        "                if self._context.auth_required and not known.is_proof and not _is_way_in(path):",
        "                if False:",
        DOOR,
        "-k",
        "nothing_else",
    ),
    guard(
        "auth.exposed.required",
        "server/context.py",
        "settings.auth.required or is_exposed(settings)",
        "settings.auth.required",
        DOOR,
        "-k",
        "whatever_the_setting",
    ),
    guard(
        "auth.wrong_token.limited",
        "server/credentials.py",
        "if digest not in self._good and self._count(address) >= MOST_WRONG:",
        "if False:",
        DOOR,
        "-k",
        "counted",
    ),
    guard(
        "security.directory.needs_key",
        "server/callers.py",
        "    return not context.auth_required and scope",
        "    return scope",
        DOOR,
        "-k",
        "no_proof",
    ),
    guard(
        "security.bind.loopback_only",
        "server/exposure.py",
        "    if is_exposed(settings) and (store is None or not store.read(any_usable_token)):",
        "    if False:",
        "tests/doors/test_process.py",
        "-k",
        "beyond_loopback",
    ),
    guard(
        "rights.operator.token",
        "cli/logins.py",
        "    if found.st_mode & WIDER_THAN_OWNER or",
        "    if",
        "tests/doors/test_cli_login.py",
        "-k",
        "refused_otherwise",
    ),
]
