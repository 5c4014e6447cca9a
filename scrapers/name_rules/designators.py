"""What legal form a name must show, state by state, where the state's own statute, rule or guide was read.

Data and one sentence-maker. Where nothing was read the general wording of the states' acts is given as "usually".
"""

from __future__ import annotations

from jurisdictions.codes import PLACES

_FOUR = "Corporation, Incorporated, Company or Limited, or an abbreviation of one of them"
_THREE = "Corporation, Incorporated or Limited, or an abbreviation of one of them (Company is not enough)"
_LC_TOO = "Limited Liability Company, Limited Company, LLC, L.L.C., LC or L.C."
_LLC_ONLY = "Limited Liability Company, LLC or L.L.C."
_LP = "Limited Partnership, LP or L.P."

Read = dict[str, tuple[str, str]]  # code -> the words, where they were read

CORPORATION: Read = {
    "AL": ("Corporation or Incorporated, or an abbreviation", "Code of Alabama 10A-1-5.04"),
    "AK": (_FOUR, "AS 10.06.105(a)"),
    "AR": (_FOUR, "Ark. Code 4-27-401(a)"),
    "AZ": ("Association, Bank, Company, Corporation, Limited or Incorporated, or an abbreviation", "A.R.S. 10-401"),
    "CO": (_FOUR, "C.R.S. 7-90-601(3)(a)"),
    "DE": (
        "Association, Company, Corporation, Club, Foundation, Fund, Incorporated, Institute, Society, Union, Syndicate "
        "or Limited, or an abbreviation",
        "8 Del. C. 102(a)(1)",
    ),
    "FL": ("Corporation, Company or Incorporated, or Corp., Co. or Inc.", "Florida Statutes 607.0401(1)(a)"),
    "IA": (_FOUR, "Iowa Code 490.401"),
    "IL": (_FOUR + ", as a separate word", "805 ILCS 5/4.05"),
    "KY": ("at its end Corporation, Company or Limited, or Corp., Inc., Co. or Ltd.", "KRS 14A.3-010(2)"),
    "LA": (_FOUR, "La. R.S. 12:1-401"),
    "MA": (_FOUR, "M.G.L. c. 156D s. 4.01"),
    "MD": (_FOUR + ' (Company not after "and")', "Md. Corps. & Assns. 1-502"),
    "MN": (
        'Corporation, Incorporated or Limited, or an abbreviation of one of them, or Company or Co. (not after "and")',
        "Minn. Stat. 302A.115",
    ),
    "MT": (_FOUR, "MCA 35-14-401"),
    "NC": (_FOUR, "N.C.G.S. 55D-20"),
    "ND": (_FOUR, "N.D.C.C. 10-19.1-13"),
    "NH": (_THREE, "RSA 293-A:4.01"),
    "NY": (_THREE, "Business Corporation Law 301"),
    "PA": (_FOUR + ", or Association, Fund or Syndicate", "15 Pa.C.S. 203"),
    "RI": (_FOUR, "R.I. Gen. Laws 7-1.2-401"),
    "TX": (_FOUR, "Texas Business Organizations Code 5.054"),
    "UT": ("Corporation, Incorporated or Company, or an abbreviation", "Utah Code 16-1a-303, from 2026-10-01"),
    "VA": (_FOUR, "Va. Code 13.1-630"),
    "WI": (_FOUR, "Wis. Stat. 180.0401"),
    "WV": (_FOUR, "W. Va. Code 31D-4-401"),
}
LLC: Read = {
    "CA": (
        _LLC_ONLY + " (Ltd. and Co. may stand for Limited and Company)",
        "California Corporations Code 17701.08(a)",
    ),
    "CO": (_LLC_ONLY + ", Limited or Ltd. (Ltd. and Co. may stand for Limited and Company)", "C.R.S. 7-90-601(3)(c)"),
    "DE": (_LLC_ONLY, "6 Del. C. 18-102"),
    "FL": (_LLC_ONLY, "Florida Statutes 605.0112"),
    "GA": (_LC_TOO, "Ga. Rule 590-7-20-.01"),
    "HI": (_LLC_ONLY, "HRS 428-105"),
    "KY": ("at its end Limited Liability Company, Limited Company, LLC or LC", "KRS 14A.3-010(3)"),
    "LA": ("Limited Liability Company, L.L.C. or L.C.", "La. R.S. 12:1306"),
    "MD": ("Limited Liability Company, LLC, L.L.C., LC or L.C.", "Md. Corps. & Assns. 1-502"),
    "ME": (_LC_TOO, "31 M.R.S. 1508"),
    "MN": (_LLC_ONLY, "Minnesota, A Guide to Starting a Business (43rd edition, 2025)"),
    "NC": (_LLC_ONLY + " (Ltd. and Co. may stand for Limited and Company)", "N.C.G.S. 55D-20"),
    "NH": (_LLC_ONLY + " or a similar abbreviation", "RSA 304-C:32"),
    "NV": (_LC_TOO + ", Limited or Ltd.", "NRS 86.171"),
    "NY": (_LLC_ONLY + ", not abbreviated otherwise", "Limited Liability Company Law 204"),
    "OH": (_LLC_ONLY + ", Limited or Ltd.", "Ohio R.C. 1706.07"),
    "OK": (_LC_TOO, "18 O.S. 2008"),
    "RI": ("at its end Limited Liability Company or L.L.C., with or without points", "R.I. Gen. Laws 7-16-9"),
    "TN": (_LLC_ONLY, "Tenn. Code 48-207-101"),
    "TX": (
        "Limited Liability Company or Limited Company, or an abbreviation of one of them",
        "Texas Business Organizations Code 5.056",
    ),
    "VA": (_LC_TOO, "State Corporation Commission, Business Entity Names"),
    "VT": (_LC_TOO, "11 V.S.A. 4005"),
    "WV": (_LC_TOO + ", or Ltd. Co.", "Secretary of State, form NR-1"),
}
PARTNERSHIP: Read = {
    "FL": ("Limited Partnership or Limited, or L.P., LP or Ltd.", "Florida Statutes 620.1108(2)"),
    "MD": (_LP, "Md. Corps. & Assns. 1-502"),
    "NC": (_LP + ", or Ltd. Partnership", "N.C.G.S. 55D-20"),
    "NH": ("at its end Limited Partnership, L.P. or a similar abbreviation", "RSA 304-B:2"),
    "TX": (
        "Limited Partnership or Limited, or an abbreviation of one of them",
        "Texas Business Organizations Code 5.055",
    ),
}
_USUAL = {"A corporation": _FOUR, "An LLC": _LLC_ONLY, "A limited partnership": _LP}


def designator_note(state: str) -> str:
    """What the name of each kind of entity must show in a state, in a sentence each; "usually" where not read."""
    sentences = []
    for (kind, usual), read in zip(_USUAL.items(), (CORPORATION, LLC, PARTNERSHIP), strict=True):
        if state in read:
            words, source = read[state]
            sentences.append(f"{kind}'s name must contain {words} ({source}).")
        else:
            sentences.append(f"{kind}'s name usually must contain {usual.rstrip('.')}.")
    return " ".join((*sentences, f"{PLACES[state].name} may ask for more; check with the registry."))
