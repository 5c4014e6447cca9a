"""Programs that read a table, with what each of them sends. What the guide shows of it is read from the guide."""

from __future__ import annotations

import csv
import http.client
import io
import re
import urllib.request
from typing import Any
from urllib.parse import urlencode, urlsplit

from lookups.pages.docs import contents, guides

Lines = list[dict[str, str]]
# Power Query's own, beside the headers of the query
EXCEL = {
    "User-Agent": "Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "Keep-Alive",
}


def find_code(language: str, word: str, *, host: str, key: str) -> str:
    """The guide's example in that language that has the word in it."""
    text = contents.by_slug()["tables"].path.read_text(encoding="utf-8")
    fences = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (found,) = [code for code in fences if word in code]
    return str(found).replace(guides.HOST, host).replace(guides.KEY, key)


def read_as_pandas(address: str, key: str) -> Lines:
    """`pandas.read_csv` opens an address with urllib, and sends its `storage_options` as headers."""
    request = urllib.request.Request(address, headers={"x-api-key": key})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as reply:
        return list(csv.DictReader(io.TextIOWrapper(reply, "utf-8", newline="")))


def read_as_excel(host: str, key: str) -> tuple[int, str, bytes]:
    """The guide's query as Power Query sends it: path, fields and headers of `Web.Contents`."""
    code = find_code("powerquery", "Web.Contents", host=host, key=key)
    path = re.findall(r'RelativePath = "(.+?)"', code)[0]
    query, headers = (
        dict(re.findall(r'(?:#"(?=.+?" =))?([\w-]+)"? = "(.*?)"', record))
        for record in re.findall(r"(?:Query|Headers) = \[(.*?)\]", code)
    )
    asked = urlsplit(host)
    link = http.client.HTTPConnection(str(asked.hostname), asked.port, timeout=20)
    try:
        link.request("GET", f"/{path}?{urlencode(query)}", headers=EXCEL | headers)
        reply = link.getresponse()
        return reply.status, reply.headers["Content-Type"], reply.read()
    finally:
        link.close()


def split(table: bytes) -> Lines:
    """`Csv.Document` with code page 65001 and quotes as CSV has them, its headers promoted."""
    return list(csv.DictReader(io.StringIO(table.decode("utf-8"), newline="")))


def run(code: str) -> Any:
    """Python of the guide; its table."""
    names: dict[str, Any] = {}
    exec(compile(code, "guide", "exec"), names)
    return names["table"]
