"""/llms.txt: the service on one screen of plain text, for programs that read; /llms-full.txt: every guide in a file."""

from __future__ import annotations

from django.conf import settings

from lookups.api.schema import offers
from lookups.api.wire.words import CODES, REASONS, VERDICTS
from lookups.pages.docs import contents, guides, twins
from lookups.pages.docs.reference import samples
from scrapers.sandbox.magic import MAGIC

TEXT = """# SOS Lookup

> What does the state's own registry say about this company, right now?

- POST /v1/lookup with {{"entity_name": "…", "state": "DE"}} returns the registry's own record of one company, or with
  "searchType": "ucc" the UCC filings of a party. {price}, charged per answer delivered: not found (404), unavailable
  (503) and refused requests cost nothing.
- Send an API key as `x-api-key`. {keyless}
- GET /v1/states (no key) says what each jurisdiction can answer.
- An answer that takes longer is 202 with `jobId` and `statusUrl`: GET it every `pollInterval` milliseconds until
  `status` is "complete" or "failed". It is the same lookup, at the same price.
- POST /v1/bulk-lookup takes up to 1,000 rows ({{"entities": [{{"entity_name": "…", "state": "DE"}}]}}) and answers 202
  with `poll_url`; POST /v1/name-availability says whether a name is free; POST /v1/watches looks again and again.
- Of 404, only `entity_not_found` says that there is no such company. `ambiguous_name` says that several fit: ask again
  with the `entity_id` of one of the `suggestions`. A 503 says nothing about the company.
- `Idempotency-Key` makes it safe to send a request again.

## Example

```sh
{example}
```

## How a lookup ends (`verdict`)

{verdicts}

## Error codes (`code`)

{codes}

## Why a registry could not be asked (`reason` beside `source_unavailable`)

{reasons}

## Sandbox

Keys that begin with `osd_test_` cost nothing and reach a fictional registry, in every state. `entity_name` plays the
outcome: {magic}. A company with everything: "Blue Heron Logistics LLC" in DE.

## Docs

- [OpenAPI document]({host}/openapi.json): every endpoint, field and error
- [All guides in one file]({host}/llms-full.txt)
- [Reference for people]({host}/docs/)
- [Prices and how to pay]({host}/pricing/)
{guides}
- [Errors]({host}/docs/errors.md): every error code, and what errors hold
- [Reference]({host}/docs/reference.md): every operation, each as Markdown
- [Words]({host}/docs/reference/words.md): every closed list of words
- [Webhook messages]({host}/docs/reference/webhooks.md): what a server is sent
"""
KEYLESS = """Without a key the request is answered 402 with a Payment challenge
  (WWW-Authenticate: Payment, intent charge); repeat it with the credential in `Authorization` and the answer carries
  a Payment-Receipt."""


def write_short() -> str:
    """The screen."""
    asked = samples.Asked(
        "POST", f"{guides.HOST}/v1/lookup", True, {"entity_name": "Blue Heron Logistics LLC", "state": "DE"}
    )
    return TEXT.format(
        price=offers.price(),
        keyless=KEYLESS if offers.configured() else "Nothing is answered without.",
        example=samples.write(asked)["sh"].replace(guides.HOST, settings.PUBLIC_URL),
        verdicts=_list(VERDICTS),
        codes=_list(CODES),
        reasons=_list(REASONS),
        magic=", ".join(f'"{name}"' for name in MAGIC.values()),
        host=settings.PUBLIC_URL,
        guides="\n".join(f"- [{one.title}]({settings.PUBLIC_URL}{one.twin}): {one.about}" for one in contents.GUIDES),
    )


def write_full() -> str:
    """Every guide, one after the other, and every error."""
    return "\n\n".join([*(guides.write(guide).strip() for guide in contents.GUIDES), twins.write_errors()])


def _list(table: dict[str, str]) -> str:
    return "\n".join(f"- `{word}`: {about}" for word, about in table.items())
