"""Our comparison beside plain libraries on the labelled set: precision, recall, wrong companies, time.

python -m tests.bench.matching
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections.abc import Callable
from statistics import median

from scrapers import matching
from scrapers.portal import StatusMeaning
from scrapers.records import Candidate
from tests.matching.build_pairs import FILE

THRESHOLD = 0.92
Score = Callable[[str, str], float]


def read() -> list[dict[str, str]]:
    """The labelled pairs."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def libraries() -> dict[str, Score]:
    """What a team would reach for first, each with its own best preparation of the text."""
    import jellyfish
    from cleanco import basename
    from fingerprints import generate
    from rapidfuzz import fuzz
    from rapidfuzz.utils import default_process
    from rigour.names import NameTypeTag, analyze_names
    from rigour.names.compare import compare_parts

    def rigour(one: str, other: str) -> float:
        first, second = (next(iter(analyze_names(NameTypeTag.ORG, [name], {}))) for name in (one, other))
        aligned = compare_parts(list(first.parts), list(second.parts))
        return sum(part.score * part.weight for part in aligned) / sum(part.weight for part in aligned)

    found: dict[str, Score] = {
        "rapidfuzz WRatio": lambda one, other: fuzz.WRatio(one, other, processor=default_process) / 100,
        "rapidfuzz token_sort_ratio": lambda one, other: (
            fuzz.token_sort_ratio(one, other, processor=default_process) / 100
        ),
        "cleanco + equality": lambda one, other: float(
            default_process(basename(one)) == default_process(basename(other))
        ),
        "fingerprints + equality": lambda one, other: float(generate(one) == generate(other)),
        "rigour compare_parts": rigour,
        "jellyfish Jaro-Winkler": lambda one, other: jellyfish.jaro_winkler_similarity(
            default_process(one), default_process(other)
        ),
    }
    return found


def measure(pairs: list[dict[str, str]], score: Score) -> tuple[float, float, float]:
    """Precision, recall and the share of other companies taken for the one asked for, at the threshold."""
    taken = {"same": 0, "other": 0}
    total = {"same": 0, "other": 0}
    for pair in pairs:
        total[pair["label"]] += 1
        taken[pair["label"]] += score(pair["asked"], pair["shown"]) >= THRESHOLD
    precision = taken["same"] / max(1, taken["same"] + taken["other"])
    return precision, taken["same"] / total["same"], taken["other"] / total["other"]


def ours(one: str, other: str) -> float:
    """This project's comparison."""
    return matching.compare(one, other).score


def milliseconds(pairs: list[dict[str, str]]) -> float:
    """One name against 1,000 candidates, median of 50, none of them seen before."""
    pick, times = random.Random(59), []
    for number in range(50):
        rows = [
            Candidate(f"{pick.choice(pairs)['shown']} {pick.randrange(10**6)}", str(index)) for index in range(1000)
        ]
        asked = f"{pick.choice(pairs)['asked']} {number}"
        started = time.perf_counter()
        matching.rank(asked, rows, status_of=lambda row: StatusMeaning("active"))
        times.append((time.perf_counter() - started) * 1000)
    return median(times)


def main() -> None:
    """Print the table."""
    pairs = read()
    sys.stdout.write(f"{len(pairs)} pairs, threshold {THRESHOLD}\n")
    sys.stdout.write(f"{'':30}{'precision':>10}{'recall':>10}{'wrong company':>15}\n")
    for name, score in {"SOS Lookup": ours, **libraries()}.items():
        precision, recall, wrong = measure(pairs, score)
        sys.stdout.write(f"{name:30}{precision:>10.1%}{recall:>10.1%}{wrong:>15.2%}\n")
    sys.stdout.write(f"one name against 1,000 candidates: {milliseconds(pairs):.2f} ms\n")


if __name__ == "__main__":
    main()
