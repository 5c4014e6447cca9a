"""Montana: the platform's protocol with a longer question. Documented by its labels (2026-11); nothing recorded.

Cloudflare stands before the host, and later clients signed in before they searched, so an account may be wanted by
now. The names of the two labels for assumed names are read from "Active/Inactive ABNs & TMs" and so half guessed;
status words beside "Voluntary Withdrawal" are the platform's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scrapers.parsing.fields import listed
from scrapers.platforms.fileone import questions
from scrapers.platforms.fileone.portal import FileOnePortal
from scrapers.portal import Capabilities, Terms
from scrapers.statuses import meanings, prefixes


class Montana(FileOnePortal):
    """Secretary of State, Business Services."""

    name_search = replace(
        FileOnePortal.name_search,
        mode="unknown",
        mode_basis="unknown",
        narrow="",
        evidence="Public clients: one kind of matching (1010), not described; no cap was seen.",
    )
    code, host = "MT", "biz.sosmt.gov"
    hosts, sources = (host,), (f"https://{host}/search/business",)
    numbered = True
    id_pattern = r"[A-Z]{1,2}\d{6,8}"  # C, A, E, D, F, R, RN and P are known
    capabilities = Capabilities(agent=True, addresses=True, former_names=True, assumed_names=True)
    statuses = meanings(
        "Active | Active-Good Standing | Voluntary Withdrawal | Involuntary Dissolution | Voluntary Dissolution | "
        "Inactive | Expired | Revoked"
    )
    status_prefixes = prefixes(inactive="Inactive-")
    terms = Terms("unstated", note="Cloudflare; later clients signed in before searching.")
    off_reason = "The portal's bot wall (Cloudflare) refuses programs, and it may want an account by now."
    would_change = "An answer to plain clients, an account for programs, or the whole layout of the paid bulk file."
    type_labels = ("Filing Type", "Entity Type")
    former_labels, assumed_labels = ("Previous Entity Names",), ("Active ABNs & TMs",)
    ignored = listed(
        "Entity SubType | Managed By | Reinstatement | Qualification Date | Inactive Date | Expiration Date | "
        "AR Due Date | Inactive ABNs & TMs"
    )

    def question(self, term: str, *, starts_with: bool) -> dict[str, Any]:
        """As the page sends it; another kind of matching is not known."""
        return questions.numbered_kinds(term)
