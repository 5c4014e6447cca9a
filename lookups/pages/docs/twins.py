"""Every page as Markdown, for programs that read: guides as they are written, the reference made from its tables."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator

from django.conf import settings

from lookups.pages.docs import contents, guides
from lookups.pages.docs.contents import Guide
from lookups.pages.docs.reference import codes, operations, shapes
from lookups.pages.docs.reference.operations import Operation, Reply
from lookups.pages.docs.reference.shapes import Field, Table

_CODE = re.compile(r"</?code>")
_TAG = re.compile(r"<[^>]+>")


def find(name: str) -> str | None:
    """The Markdown of the page at /docs/<name>, without its last slash; None where there is no such page."""
    folder, _, slug = name.rpartition("/")
    if folder == "guides" and slug in contents.by_slug():
        return guides.write(contents.by_slug()[slug])
    if folder == "reference" and slug in operations.by_name():
        return write_operation(operations.by_name()[slug])
    written = {
        "index": write_index,
        "errors": write_errors,
        "reference": write_reference,
        "reference/words": write_words,
        "reference/webhooks": write_messages,
    }
    return written[name]() if name in written else None


def to_text(safe: str) -> str:
    """What a table shows, as Markdown."""
    return html.unescape(_TAG.sub("", _CODE.sub("`", safe)))


def write_index() -> str:
    """The list of everything."""
    lines = ["# SOS Lookup: documentation", ""]
    for group, members in contents.GROUPS.items():
        lines += [f"## {group}", "", *(_line(guide) for guide in members), ""]
    lines += ["## Reference", "", *(_place(name, path) for name, path in _REFERENCES), "", *_list_operations()]
    return "\n".join([*lines, ""])


def write_reference() -> str:
    """The list of operations."""
    return "\n".join(
        ["# Reference", "", *(_place(name, path) for name, path in _REFERENCES), "", *_list_operations(), ""]
    )


def write_errors() -> str:
    """Every error code, reason and body."""
    lines = [
        "# Errors",
        "",
        "Every error has one of these in `code`, and a `docUrl` that leads to it. Errors cost nothing.",
        "",
    ]
    for code in codes.list_codes():
        with_status = " · ".join(f"{status} {phrase}" for status, phrase in code.statuses)
        lines += [f"## {code.word}", "", *([with_status, ""] if with_status else []), to_text(code.about), ""]
    lines += ["## Why a registry could not be asked", "", "`reason` beside `source_unavailable`.", ""]
    lines += [f"- `{word}`: {to_text(about)}" for word, about in codes.list_reasons()]
    lines += ["", "## Why a question is not taken, or ended here", ""]
    lines += [f"- `{word}`: {to_text(about)}" for word, about in codes.list_other_reasons()]
    return "\n".join([*lines, "", *_tables(codes.list_bodies())])


def write_words() -> str:
    """Every closed list of words."""
    lines = ["# Words", ""]
    for one in shapes.list_words():
        lines += [f"## {one.name}", "", *([to_text(one.about), ""] if one.about else [])]
        lines += [f"- `{word}`{f': {to_text(about)}' if about else ''}" for word, _, about in one.words]
        lines.append("")
    return "\n".join(lines)


def write_messages() -> str:
    """Every webhook message."""
    lines = ["# Webhook messages", ""]
    for name, spec in operations.list_messages():
        lines += [f"## {name}", "", spec["summary"], "", spec["description"], ""]
        for example in spec["requestBody"]["content"][operations.JSON]["examples"].values():
            lines += ["```json", json.dumps(example["value"], ensure_ascii=False, indent=2), "```", ""]
    return "\n".join([*lines, *_tables(operations.list_message_tables())])


def write_operation(operation: Operation) -> str:
    """One operation."""
    page = operations.describe(operation)
    lines = [f"# {operation.summary}", "", f"`{operation.method} {operation.path}`", "", to_text(page.about), ""]
    lines += ["No key is needed.", ""] if page.keyless else []
    for title, fields in page.parameters:
        lines += [f"## {title}", "", *_fields(fields), ""]
    for asking in page.askings:
        lines += [f"## {asking.title}", ""]
        for sample in asking.samples:
            lines += [f"```{sample.language}", sample.text.replace(guides.HOST, settings.PUBLIC_URL), "```", ""]
    for reply in (*page.replies, *page.errors):
        lines += [*_reply(reply), ""]
    return "\n".join([*lines, *_tables(page.asked_tables), *_tables(page.tables)])


def _reply(reply: Reply) -> Iterator[str]:
    yield f"## {reply.status} {reply.phrase}"
    yield ""
    named = f" Code: {', '.join(f'`{code}`' for code in reply.codes)}." if reply.codes else ""
    yield f"{to_text(reply.about)} {' or '.join(map(to_text, reply.kinds))}{named}"
    for example in reply.examples:
        yield from ("", f"{example.title}:", "", "```json", example.text, "```")


def _tables(tables: Iterable[Table]) -> Iterator[str]:
    for table in tables:
        yield from (f"## {table.name}", "", to_text(table.about), "", *_fields(table.fields), "")


def _fields(fields: Iterable[Field]) -> Iterator[str]:
    for field in fields:
        marks = [
            to_text(field.kind),
            *(["required"] if field.required else []),
            *(["deprecated"] if field.deprecated else []),
        ]
        yield f"- `{field.name}` ({', '.join(marks)}): {to_text(field.about)}"


_REFERENCES = (
    (contents.ERRORS, "/docs/errors.md"),
    (contents.WORDS, "/docs/reference/words.md"),
    (contents.WEBHOOKS, "/docs/reference/webhooks.md"),
)


def _line(guide: Guide) -> str:
    return f"- [{guide.title}]({settings.PUBLIC_URL}{guide.twin}): {guide.about}"


def _place(place: contents.Place, path: str) -> str:
    return f"- [{place.title}]({settings.PUBLIC_URL}{path}): {place.about}"


def _list_operations() -> Iterator[str]:
    for tag, about, members in operations.by_tag():
        yield from (f"### {tag}", "", about, "")
        for one in members:
            yield f"- [`{one.method} {one.path}`]({settings.PUBLIC_URL}{one.twin}): {one.summary}"
        yield ""
