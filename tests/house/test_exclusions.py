"""Each exclusion from a check has its reason beside it."""

from __future__ import annotations

import io
import re
import tokenize

from tests.house.source import modules
from tests.promises.marks import promise

EXCLUSION = re.compile(r"#\s*(?:noqa(?::\s*[A-Z0-9, ]+)?|type:\s*ignore(?:\[[^\]]*\])?|pragma: no cover)(?P<reason>.*)")
LEAST = 4
"""Characters of a reason; `as above` and `it is a pipe` are reasons."""


@promise("house.exclusions.reasoned")
def test_each_exclusion_has_its_reason_beside_it() -> None:
    bare = [
        f"{name}:{token.start[0]}"
        for name, (text, _) in modules().items()
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
        for found in [EXCLUSION.search(token.string)]
        if found is not None and len(found["reason"].strip(" -#,")) < LEAST
    ]
    assert not bare, "no reason stands beside these:\n" + "\n".join(bare)
