"""Edits of other programs' files: nothing of theirs moves, and what was put in comes out byte for byte."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.agents.files.edits import Broken, Edit, Item, Member, apply_edits, holds, take_out
from waypost.agents.files.jsonc import parse, value_of
from waypost.agents.install import Where
from waypost.agents.known import INSTALLERS

PROGRAM = "/opt/way post/bin/waypost"
WHERE = Where(home=Path("/home/maria"), directory=Path("/home/maria/api"), environ={}, platform="linux")
JSON_EDITS: list[tuple[Edit, ...]] = [
    one.edits
    for installer in INSTALLERS
    for one in installer.wanted(WHERE, "user", PROGRAM)
    if isinstance(one.edits[0], Member | Item)
]
TOML_EDITS: list[tuple[Edit, ...]] = [
    one.edits
    for installer in INSTALLERS
    for one in installer.wanted(WHERE, "user", PROGRAM)
    if one.path.suffix == ".toml"
]
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["//", "/* x */", "{", "a\\"])
)
NAMES = st.text(max_size=5) | st.sampled_from(["hooks", "mcpServers", "SessionStart", "servers", "version", "other"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=5)
HOOKED = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(
            st.sampled_from(["SessionStart", "PostToolUse", "Stop"]),
            st.lists(
                st.fixed_dictionaries({"hooks": st.just([{"type": "command", "command": "their own"}])}), max_size=2
            ),
            max_size=3,
        ),
        "mcpServers": st.dictionaries(st.sampled_from(["a", "b"]), st.just({"command": "x"}), max_size=2),
        "version": st.integers(),
        "theme": SCALARS,
    },
)
BLANKS = ("", " ", "\n", "\n  ", "\t", " // note, {[\n", "/* a\n b */", "\r\n")
TOML_PARTS = (
    'model = "x"',
    "# a comment",
    "[mcp_servers.other]\ncommand = \"y\"\nargs = ['a']",
    '[[hooks]]\nevent = "Stop"\ncommand = "their own"',
    '[projects."/x y"]\ntrust_level = "trusted"',
    'text = """\n[not.a.table]\n"""',
    "",
)


def written(value: Any, dice: random.Random, depth: int = 0) -> str:
    """The value as somebody's editor may have written it: blanks, comments and trailing commas anywhere."""

    def blank() -> str:
        return dice.choice(BLANKS) if dice.random() < 0.4 else dice.choice(("", " ", "\n"))

    if isinstance(value, dict | list):
        if isinstance(value, dict):
            parts = [
                f"{blank()}{json.dumps(name)}{blank()}:{blank()}{written(one, dice, depth + 1)}{blank()}"
                for name, one in value.items()
            ]
        else:
            parts = [f"{blank()}{written(one, dice, depth + 1)}{blank()}" for one in value]
        comma = "," if parts and dice.random() < 0.3 else ""
        opened, closed = "{}" if isinstance(value, dict) else "[]"
        return f"{opened}{','.join(parts)}{comma}{blank()}{closed}"
    return json.dumps(value, ensure_ascii=dice.random() < 0.5)


def never(program: str) -> bool:
    return False


@promise("setup.write.merges", "setup.remove.byte_for_byte")
@settings(max_examples=150, deadline=None)
@given(value=DOCUMENTS | HOOKED, seed=st.integers(0, 10**6), edits=st.sampled_from(JSON_EDITS))
def test_any_json_file_keeps_all_it_held_and_comes_back_byte_for_byte(
    value: dict[str, Any], seed: int, edits: tuple[Edit, ...]
) -> None:
    dice = random.Random(seed)
    head, tail = dice.choice(("", "// head\n", "\ufeff")), dice.choice(("", "\n", "\n// end"))
    before = head + written(value, dice) + tail
    try:
        done = apply_edits(before, edits, alive=never)
    except Broken:
        return  # something of theirs stands where ours should: left as it is
    after = value_of(parse(done.text))
    assert {name: after[name] for name in value if name not in {"hooks", "mcpServers", "servers"}} == {
        name: one for name, one in value.items() if name not in {"hooks", "mcpServers", "servers"}
    }
    again = apply_edits(done.text, edits, alive=never)
    assert (again.text, again.inserted) == (done.text, [])
    assert take_out(done.text, edits, done.inserted) == before


@promise("setup.remove.byte_for_byte")
@settings(max_examples=150, deadline=None)
@given(value=HOOKED, seed=st.integers(0, 10**6), edits=st.sampled_from(JSON_EDITS))
def test_without_a_note_our_entries_are_taken_out_and_theirs_stay(
    value: dict[str, Any], seed: int, edits: tuple[Edit, ...]
) -> None:
    before = written(value, random.Random(seed))
    done = apply_edits(before, edits, alive=never)
    left = take_out(done.text, edits, ())
    assert left is not None
    assert holds(left, [edit for edit in edits if not (isinstance(edit, Member) and edit.ours is None)]) == []
    found = value_of(parse(left))
    for name, one in value.items():
        if name != "hooks":
            assert found[name] == one
        else:
            assert {event: found["hooks"][event] for event in one} == one


@promise("setup.write.merges", "setup.remove.byte_for_byte")
@settings(max_examples=150, deadline=None)
@given(
    parts=st.lists(st.sampled_from(TOML_PARTS), unique=True, max_size=6),
    end=st.sampled_from(["", "\n", "\n\n", "\r\n"]),
    edits=st.sampled_from(TOML_EDITS),
)
def test_any_toml_file_keeps_all_it_held_and_comes_back_byte_for_byte(
    parts: list[str], end: str, edits: tuple[Edit, ...]
) -> None:
    # A key of the top level must stand before the first table.
    before = "\n".join(sorted(parts, key=lambda part: "[" in part and '"""' not in part)) + end
    done = apply_edits(before, edits, alive=never)
    old, new = tomllib.loads(before), tomllib.loads(done.text)
    for name, one in old.items():
        kept = new[name]
        if isinstance(one, list):
            kept = kept[: len(one)]
        elif isinstance(one, dict):
            kept = {key: kept[key] for key in one}
        assert kept == one
    assert apply_edits(done.text, edits, alive=never).inserted == []
    left = take_out(done.text, edits, done.inserted)
    assert left == before


@promise("setup.write.merges")
def test_what_is_put_into_an_object_that_holds_a_comment_alone_stands_beside_the_comment() -> None:
    edits = next(edits for edits in JSON_EDITS if isinstance(edits[0], Member) and edits[0].path == ("mcpServers",))
    before = '{"mcpServers": {/* none\n yet */}}'
    done = apply_edits(before, edits, alive=never)
    assert "/* none\n yet */" in done.text
    assert value_of(parse(done.text))["mcpServers"]["waypost"]["command"] == PROGRAM
    assert take_out(done.text, edits, done.inserted) == before


@promise("setup.broken_file.untouched")
@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a": 1,, }',
        '{"hooks": 5}',
        '{"hooks": {"SessionStart": {}}}',
        '{"a": 1, "a": 2}',
        "[]",
        "{} x",
        "{'a': 1}",
    ],
)
def test_a_json_file_that_is_not_understood_is_refused(text: str) -> None:
    edits = next(edits for edits in JSON_EDITS if isinstance(edits[0], Item))
    with pytest.raises(Broken):
        apply_edits(text, edits, alive=never)


@promise("setup.broken_file.untouched")
@pytest.mark.parametrize("text", ["[", "mcp_servers = 5", "mcp_servers = { a = 1 }", "hooks = []", "a = 1\na = 2"])
def test_a_toml_file_that_cannot_be_joined_is_refused(text: str) -> None:
    refusals = 0
    for edits in TOML_EDITS:
        try:
            apply_edits(text, edits, alive=never)
        except Broken:
            refusals += 1
    assert refusals


@promise("setup.write.keeps_choices", "hook.line.stable")
def test_an_entry_that_its_owner_changed_is_kept_and_only_a_dead_path_gives_way() -> None:
    edits = next(edits for edits in JSON_EDITS if isinstance(edits[0], Item))
    first = apply_edits("{}", edits, alive=never).text
    own = first.replace('"timeout": 5', '"timeout": 30').replace(PROGRAM, "/old/bin/waypost")
    assert apply_edits(own, edits, alive=lambda program: program == "/old/bin/waypost").text == own
    mended = apply_edits(own, edits, alive=never)
    assert value_of(parse(mended.text)) == value_of(parse(own.replace("'/old/bin/waypost'", f"'{PROGRAM}'")))
    assert mended.moved[0] == ("/old/bin/waypost", PROGRAM)


@promise("setup.write.keeps_choices")
def test_a_toml_entry_keeps_what_its_owner_added() -> None:
    codex = TOML_EDITS[0]
    own = apply_edits("", codex, alive=never).text.replace(
        'args = ["mcp"]', 'args = ["mcp", "--tools", "all"]\nenabled = false'
    )
    assert apply_edits(own, codex, alive=never).text == own
    moved = own.replace(PROGRAM, "/old/bin/waypost")
    assert apply_edits(moved, codex, alive=never).text == own
