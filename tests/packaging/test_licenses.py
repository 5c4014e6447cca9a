"""Under what everything is licensed that the service runs on: permissive, or with a sentence why it may be used."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN_LIST = ROOT / "config" / "requirements" / "run.txt"
PACKAGE = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[a-z,]+\])?==[^;\\\n]+(;(?P<only>[^\\\n]*))?", re.MULTILINE)
PERMISSIVE = re.compile(r"MIT|BSD|Apache|PSF|Python Software Foundation|ISC|Unlicense|Public Domain", re.IGNORECASE)
OTHERS = re.compile(r"GPL|GNU|MPL|Mozilla|EPL|Eclipse|CDDL|SSPL|BUSL|Commons Clause|Proprietary", re.IGNORECASE)
EXPLAINED = {
    "psycopg": "LGPL-3.0: a library, imported and not changed; who has the service may exchange it",
    "psycopg-binary": "LGPL-3.0: the same, with libpq (PostgreSQL licence) and OpenSSL (Apache-2.0) in it",
    "certifi": "MPL-2.0: a list of certificates, not changed; the duty to publish is about changed files alone",
    "fido2": "BSD-2; the list of public suffixes in it is MPL-2.0, and is not changed",
    "qrcode": "BSD-3; its other classifier is of the name QR Code, a registered trademark",
    "waitress": "ZPL-2.1: permissive, of Zope",
    "tqdm": "MPL-2.0 and MIT: imported and not changed",
}


def list_packages() -> dict[str, str]:
    """The packages of the run list, with the condition under which they are installed."""
    return {match["name"]: (match["only"] or "").strip() for match in PACKAGE.finditer(RUN_LIST.read_text())}


def license_of(name: str) -> str:
    """What a package says of its license: an expression, the old field, or classifiers."""
    about = metadata.metadata(name)
    classifiers = [line for line in about.get_all("Classifier", []) if line.startswith("License ::")]
    short = (about.get("License") or "").strip().splitlines()[:1]
    return " ".join([about.get("License-Expression") or "", *short, *classifiers]).strip()


def objection(name: str, said: str) -> str | None:
    """Why a license cannot be taken as it is; None when it can."""
    if name in EXPLAINED:
        return None
    if OTHERS.search(said):
        return f"{name}: {said} is not permissive, and nothing explains it"
    return None if PERMISSIVE.search(said) else f"{name}: {said or 'no license'} is not known here"


class TestWhatTheServiceRunsOn:
    """The packages of config/requirements/run.txt."""

    def test_is_permissive_or_explained(self) -> None:
        packages = list_packages()
        assert len(packages) > 40
        told = [objection(name, license_of(name)) for name, only in packages.items() if _is_installed(name, only)]
        assert [one for one in told if one] == []

    def test_has_no_explanation_too_many(self) -> None:
        assert set(EXPLAINED) - set(list_packages()) == set()
        known = {name: license_of(name) for name in EXPLAINED}
        needless = [name for name, said in known.items() if PERMISSIVE.search(said) and not OTHERS.search(said)]
        assert needless == []

    @pytest.mark.parametrize("said", ["GPL-3.0-only", "AGPL-3.0", "SSPL-1.0", "", "Other/Proprietary License"])
    def test_would_not_take_another(self, said: str) -> None:
        assert objection("another", said)


def _is_installed(name: str, only: str) -> bool:
    """Other systems and other versions of Python have packages of their own; they are in `make sbom` there."""
    try:
        metadata.metadata(name)
    except metadata.PackageNotFoundError:
        assert re.search("python_full_version|sys_platform|platform_system", only), f"{name} is not installed"
        return False
    return True
