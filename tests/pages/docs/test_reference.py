"""The reference has all of the document: operations, fields, words, examples, and each request in three languages."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import requests

from lookups.api.schema.document import read as read_document
from lookups.pages.docs.reference import operations, samples, shapes
from lookups.pages.docs.reference.operations import Operation
from lookups.pages.docs.reference.samples import Asked
from tests.pages.docs.test_site import read

OPERATIONS = list(operations.by_name().values())
PAGES = [one.url for one in OPERATIONS] + ["/docs/errors/", "/docs/reference/webhooks/", "/docs/reference/words/"]


@cache
def all_ids() -> frozenset[str]:
    """Every anchor of the reference."""
    return frozenset(one for page in PAGES for one in read(page).xpath("//@id"))


def list_asked() -> list[tuple[str, Asked]]:
    """Every example of a request in the document."""
    found = []
    for one in OPERATIONS:
        bodies = one.spec.get("requestBody", {}).get("content", {})
        examples = [(body["value"], kind) for kind, each in bodies.items() for body in each["examples"].values()]
        for body, kind in examples or [(None, samples.JSON)]:
            found.append((one.name, samples.ask(one.path, one.method, one.spec, body=body, media_type=kind)))
    return found


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
class TestAnOperation:
    """One page of the reference."""

    def test_tells_all_that_the_document_does(self, operation: Operation) -> None:
        page = read(operation.url)
        text = page.text_content()
        assert page.xpath("//h1/text()") == [operation.summary]
        assert f"{operation.method} {operation.path}" in " ".join(text.split())
        ids = set(page.xpath("//@id"))
        assert {f"{one['in']}-{one['name']}" for one in operation.spec.get("parameters", ())} <= ids
        assert {f"reply-{status}" for status in operation.spec["responses"]} <= ids
        shown = [block.text_content() for block in page.xpath("//aside//pre")]
        for body in operation.spec.get("requestBody", {}).get("content", {}).values():
            for example in body["examples"].values():
                assert any(
                    example["summary"] == one.text_content() for one in page.xpath("//aside//h2|//aside//summary")
                )
        for status, reply in operation.spec["responses"].items():
            for content in reply.get("content", {}).values():
                for example in content.get("examples", {}).values() if status < "400" else ():
                    value = example["value"]
                    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
                    assert whole.rstrip("\n") in shown


class TestTheReference:
    """All of it."""

    def test_has_every_field_of_every_shape(self) -> None:
        schemas = read_document()["components"]["schemas"]
        fields = {f"{name}-{field}" for name, schema in schemas.items() for field in schema.get("properties", {})}
        assert len(fields) > 700
        assert fields - all_ids() == set()

    def test_has_every_word_of_every_list(self) -> None:
        schemas = read_document()["components"]["schemas"]
        words = {
            shapes.anchor_of(name, str(word)) for name, schema in schemas.items() for word in schema.get("enum", ())
        }
        assert len(words) > 250
        assert words - all_ids() == set()

    def test_has_every_webhook_message_with_its_example(self) -> None:
        page = read("/docs/reference/webhooks/")
        shown = [block.text_content() for block in page.xpath("//pre")]
        for name, spec in read_document()["webhooks"].items():
            assert page.xpath("//h2[@id=$anchor]", anchor=shapes.anchor_of(name))
            for example in spec["post"]["requestBody"]["content"]["application/json"]["examples"].values():
                assert json.dumps(example["value"], ensure_ascii=False, indent=2) in shown

    def test_has_every_example_of_an_error(self) -> None:
        shown = [json.loads(block.text_content()) for block in read("/docs/errors/").xpath("//pre")]
        known = {(one["code"], one["error"]) for one in shown}
        for listed in read_document()["paths"].values():
            for operation in listed.values():
                for reply in operation["responses"].values():
                    for content in reply.get("content", {}).values():
                        for example in content.get("examples", {}).values():
                            if isinstance(example["value"], dict) and "code" in example["value"]:
                                assert (example["value"]["code"], example["value"]["error"]) in known


class TestASample:
    """The same request in three languages."""

    @pytest.mark.parametrize(("name", "asked"), list_asked())
    def test_in_curl_sends_what_the_document_says(self, name: str, asked: Asked) -> None:
        words = shlex.split(samples.write(asked)["sh"].replace("\\\n", " "))
        assert words[:2] == ["curl", "-sS"]
        method = words[words.index("-X") + 1] if "-X" in words else "GET"
        headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
        body = words[words.index("--data-binary") + 1] if "--data-binary" in words else None
        assert (method, asked.url in words, headers) == (asked.method, True, asked.headers)
        assert body == (None if asked.body is None else asked.text)

    @pytest.mark.parametrize(("name", "asked"), list_asked())
    def test_in_python_sends_what_the_document_says(self, name: str, asked: Asked) -> None:
        sent: list[requests.PreparedRequest] = []

        def note(session: requests.Session, request: requests.PreparedRequest, **more: Any) -> requests.Response:
            sent.append(request)
            reply = requests.Response()
            reply.status_code = 200
            reply._content = b"{}"
            return reply

        with patch.object(requests.Session, "send", note):
            exec(samples.write(asked)["python"], {})
        [request] = sent
        assert (request.method, request.url) == (asked.method, asked.url)
        assert {name: request.headers[name] for name in asked.headers} == asked.headers
        body = request.body.decode() if isinstance(request.body, bytes) else request.body
        assert _read(body, asked) == asked.body

    def test_in_javascript_sends_what_the_document_says(self, tmp_path: Path) -> None:
        if shutil.which("node") is None:
            pytest.skip("needs node")
        every = list_asked()
        parts = [f"await (async () => {{\n{samples.write(asked)['js']}\n}})();" for _, asked in every]
        noting = "const sent = [];\nconsole.log = () => {};\nglobalThis.fetch = async (url, more = {}) => {\n"
        noting += "  sent.push([url, more]);\n  return { status: 200, text: async () => '' };\n};\n"
        script = tmp_path / "samples.mjs"
        script.write_text(noting + "\n".join(parts) + "\nprocess.stdout.write(JSON.stringify(sent));")
        done = subprocess.run(["node", str(script)], capture_output=True, text=True, timeout=300, check=True)
        for (url, more), (_, asked) in zip(json.loads(done.stdout), every, strict=True):
            assert (url, more.get("method", "GET"), more.get("headers", {})) == (asked.url, asked.method, asked.headers)
            assert _read(more.get("body"), asked) == asked.body


def _read(body: str | None, asked: Asked) -> Any:
    """What was sent, as the example has it."""
    return body if body is None or asked.media_type != samples.JSON else json.loads(body)
