"""Settings: an option beats the environment, which beats the file, which beats the default; what is misspelt is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.promises.marks import promise
from waypost.assembly.settings import explain_settings, load_settings
from waypost.kernel.errors import InvalidInput


@promise("day_one.settings.precedence", "cli.options.agree")
def test_option_environment_file_and_default_are_asked_in_this_order(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[server]\nport = 1001\n[limits]\ninbox = 7\n")
    environment = {"WAYPOST_PORT": "1002"}
    assert load_settings(tmp_path / "none", {}, {}).server.port == 7433
    assert load_settings(file, {}, {}).server.port == 1001
    assert load_settings(file, environment, {}).server.port == 1002
    assert load_settings(file, environment, {"port": 1003}).server.port == 1003
    assert load_settings(file, environment, {}).limits.limits().inbox == 7
    origins = {item.name: item.origin for item in explain_settings(file, environment, {"host": "::1"})}
    assert origins["server.port"] == "environment WAYPOST_PORT"
    assert origins["server.host"] == "option --host"
    assert origins["limits.inbox"] == str(file)
    assert origins["limits.body"] == "default"


@promise("day_one.settings.malformed")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[server]\nprot = 1\n", "server.prot"),
        ("[limits]\ninbox = 0\n", "limits.inbox"),
        ("[limits]\ninbox = 'many'\n", "limits.inbox"),
        ("colour = 'red'\n", "colour"),
        ("server = 3\n", "server"),
        ("[server\n", "config.toml"),
        ("[server]\nport = 70000\n", "server.port"),
        ("\xff", "config.toml"),
    ],
)
def test_an_unknown_or_malformed_setting_is_refused_and_named(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInput) as caught:
        load_settings(file, {}, {})
    assert named in caught.value.detail
    with pytest.raises(InvalidInput, match="port"):
        load_settings(tmp_path / "none", {"WAYPOST_PORT": "high"}, {})
