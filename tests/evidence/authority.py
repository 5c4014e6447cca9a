"""A time-stamp authority on loopback: OpenSSL signs what it is asked about (RFC 3161), or it is in trouble."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.serving import in_background

PROGRAM = shutil.which("openssl")
SETTINGS = """
[tsa]
default_tsa = own
[own]
serial = {folder}/serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""


@dataclass
class Authority:
    """Where it is, what it is trusted by, and how it behaves; `asked` counts."""

    folder: Path
    root: x509.Certificate
    url: str = ""
    status: int = 200
    seconds: float = 0.0
    body: bytes | None = None
    asked: int = 0

    @property
    def root_file(self) -> Path:
        """The certificate that whoever trusts it has."""
        return self.folder / "root.pem"

    def answer(self, query: bytes) -> bytes:
        """Sign it."""
        (self.folder / "query").write_bytes(query)
        assert PROGRAM
        command = [PROGRAM, "ts", "-reply", "-config", "settings", "-section", "own", "-queryfile", "query"]
        command += ["-signer", "tsa.pem", "-inkey", "tsa.key", "-out", "reply"]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        return (self.folder / "reply").read_bytes()


@contextmanager
def serving(folder: Path) -> Iterator[Authority]:
    """An authority with a root of its own, until the block ends."""
    authority = Authority(folder, _make_keys(folder))
    (folder / "settings").write_text(SETTINGS.format(folder=folder))
    (folder / "serial").write_text("01\n")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            authority.asked += 1
            query = self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(authority.seconds)
            body = authority.answer(query) if authority.body is None else authority.body
            is_query = self.headers["Content-Type"] == "application/timestamp-query"  # RFC 3161, 3.4
            self.send_response(authority.status if is_query else 415)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Quiet."""

    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        authority.url = f"http://127.0.0.1:{server.server_port}/tsr"
        yield authority


def _make_keys(folder: Path) -> x509.Certificate:
    """A root, and a certificate of it for time-stamps alone."""
    root_key, own_key = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    root = _certificate("Test Root", root_key, "Test Root", root_key, x509.BasicConstraints(True, None))
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    own = _certificate("Test Authority", own_key, "Test Root", root_key, purpose)
    (folder / "root.pem").write_bytes(root.public_bytes(Encoding.PEM))
    (folder / "tsa.pem").write_bytes(own.public_bytes(Encoding.PEM))
    (folder / "tsa.key").write_bytes(own_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return root


def _certificate(
    name: str, key: rsa.RSAPrivateKey, issuer: str, by: rsa.RSAPrivateKey, use: x509.ExtensionType
) -> x509.Certificate:
    now = datetime.now(UTC)
    named, signer = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, one)]) for one in (name, issuer))
    builder = x509.CertificateBuilder().subject_name(named).issuer_name(signer).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    return builder.add_extension(use, critical=True).sign(by, hashes.SHA256())
