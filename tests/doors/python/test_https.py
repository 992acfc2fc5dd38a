"""HTTPS, by the Python client and by the transport of `--url`: certificates are checked, answers and tokens go where they belong."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.doors.python.dropping import STAGES, DroppingProxy, Given, Passed
from tests.doors.python.served import address
from tests.doors.server_process import ServerProcess
from tests.promises.marks import promise
from waypost.client import Retries, Waypost, errors
from waypost.client.remote import request


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of its own for 127.0.0.1, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "waypost test")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def secure(server: ServerProcess, certificate: Path) -> Iterator[DroppingProxy]:
    """A TLS gateway before the server."""
    with DroppingProxy(address(server.run), certificate=certificate) as found:
        yield found


@pytest.fixture
def trusted(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


def store(server: ServerProcess) -> str:
    assert server.run is not None
    return server.run.store_id


@promise("client.python.every_verb", "client.python.token_kept")
def test_the_client_speaks_https_with_its_token(
    server: ServerProcess, secure: DroppingProxy, trusted: ssl.SSLContext
) -> None:
    def accept(seen: Passed) -> None:
        del seen.headers["authorization"]  # this server knows no tokens of ours

    secure.asked = accept
    with Waypost(url=secure.url, token="secret", verify=trusted) as post:
        assert post.store.show().store_id == store(server)
    assert secure.tokens == ["Bearer secret"]


@promise("client.python.token_kept")
def test_a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_sent(
    server: ServerProcess, secure: DroppingProxy
) -> None:
    post = Waypost(url=secure.url, token="secret", retries=Retries(times=0))
    with post, pytest.raises(errors.ServerAway, match="certificate"):
        post.store.show()
    with pytest.raises(errors.ServerAway, match="certificate"):
        request(secure.url, "GET", "/v1/store", token="secret")
    assert secure.seen == []


@promise("client.remote.url")
def test_one_request_by_an_address_answers_status_headers_and_body(
    server: ServerProcess, secure: DroppingProxy, trusted: ssl.SSLContext
) -> None:
    for url in (secure.url, address(server.run)):
        status, headers, body = request(
            url, "GET", "/v1/projects", query={"limit": 1}, store=store(server), context=trusted
        )
        assert (status, headers["waypost-store"]) == (200, store(server))
        assert b'"items"' in body
    assert request(secure.url, "GET", "/v1/nothing", context=trusted)[0] == 404


@promise("client.remote.url", "client.python.says_if_run")
@pytest.mark.parametrize("stage", STAGES)
def test_a_broken_connection_says_that_the_request_may_have_run(
    server: ServerProcess, secure: DroppingProxy, trusted: ssl.SSLContext, stage: str
) -> None:
    secure.drop(stage)
    with pytest.raises(errors.AnswerLost) as lost:
        request(secure.url, "GET", "/v1/projects", context=trusted)
    assert lost.value.may_have_run


@promise("client.remote.url")
def test_another_store_no_waypost_an_absent_one_and_a_late_one_are_told_apart(
    server: ServerProcess, proxy: DroppingProxy
) -> None:
    with pytest.raises(errors.StoreChanged):
        request(proxy.url, "GET", "/v1/projects", store="another")
    proxy.instead = lambda seen: Given(status=200, headers={}, body=b"{}")
    with pytest.raises(errors.ForeignServer):
        request(proxy.url, "GET", "/v1/projects")
    proxy.instead = lambda seen: Given(status=302, headers={"location": address(server.run)}, body=b"")
    with pytest.raises(errors.ForeignServer):
        request(proxy.url, "GET", "/v1/projects")
    with pytest.raises(errors.ServerSlow):
        request(proxy.url, "GET", "/v1/projects", deadline=time.monotonic())
    with pytest.raises(errors.ServerAway) as away:
        request("http://127.0.0.1:1", "GET", "/v1/projects")
    assert not away.value.may_have_run


@promise("client.remote.url", "client.python.token_kept")
def test_a_token_goes_in_the_clear_to_this_machine_alone(server: ServerProcess, proxy: DroppingProxy) -> None:
    request(proxy.url, "GET", "/healthz", token="secret")
    assert proxy.tokens == ["Bearer secret"]
    with pytest.raises(errors.InvalidInput, match="in the clear"):
        request("http://post.example", "GET", "/healthz", token="secret")
