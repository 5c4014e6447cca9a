"""The first request of a program, in three languages; a test runs each of them against a running service."""

from __future__ import annotations

from typing import NamedTuple

PLACEHOLDER = "osd_test_…"
_CURL = """curl -s {root}v1/lookup \\
  -H 'x-api-key: {key}' -H 'content-type: application/json' \\
  -d '{{"entity_name": "Blue Heron Logistics LLC", "state": "DE"}}'"""
_PYTHON = """import requests
asked = {{"entity_name": "Blue Heron Logistics LLC", "state": "DE"}}
print(requests.post("{root}v1/lookup", json=asked, headers={{"x-api-key": "{key}"}}).json()["data"]["status"])"""
_JAVASCRIPT = """const headers = {{"x-api-key": "{key}", "content-type": "application/json"}};
const body = JSON.stringify({{entity_name: "Blue Heron Logistics LLC", state: "DE"}});
console.log((await (await fetch("{root}v1/lookup", {{method: "POST", headers, body}})).json()).data.status);"""


class Example(NamedTuple):
    """One of them: the word of its block, the language, and the text."""

    word: str
    language: str
    text: str


def list_examples(root: str) -> list[Example]:
    """The same request in each language; `root` is the service's address with its last slash."""
    texts = (("curl", "curl", _CURL), ("python", "Python", _PYTHON), ("javascript", "JavaScript", _JAVASCRIPT))
    return [Example(word, language, text.format(root=root, key=PLACEHOLDER)) for word, language, text in texts]
