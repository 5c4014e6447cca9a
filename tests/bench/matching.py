"""Our comparison beside plain libraries on the labelled and the held-out set: precision, recall, wrong companies, time.

python -m tests.bench.matching
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median

from scrapers.records import Candidate
from scrapers.search import matching
from scrapers.statuses import StatusMeaning
from tests.matching.build_pairs import FILE

THRESHOLD = 0.92
HELD_OUT = FILE.with_name("held_out.csv")
SURE = frozenset({"exact", "suffix_variant"})
Pairs = list[dict[str, str]]
Score = Callable[[str, str], float]


def read() -> Pairs:
    """The labelled pairs."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_held_out() -> Pairs:
    """The pairs that were judged without sight of the matcher, in the words of the labelled set: same or other."""
    with HELD_OUT.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{**row, "shown": row["registered"], "label": "same" if row["label"] == "same" else "other"} for row in rows]


def libraries() -> dict[str, Score]:
    """What a team would reach for first, each with its own best preparation of the text.

    Two of them are compiled where they are installed, and stand beside the others after `make bench-names` alone.
    """
    import jellyfish
    from cleanco import basename
    from rapidfuzz import fuzz
    from rapidfuzz.utils import default_process

    found: dict[str, Score] = {
        "rapidfuzz WRatio": lambda one, other: fuzz.WRatio(one, other, processor=default_process) / 100,
        "rapidfuzz token_sort_ratio": lambda one, other: (
            fuzz.token_sort_ratio(one, other, processor=default_process) / 100
        ),
        "cleanco + equality": lambda one, other: float(
            default_process(basename(one)) == default_process(basename(other))
        ),
        "jellyfish Jaro-Winkler": lambda one, other: jellyfish.jaro_winkler_similarity(
            default_process(one), default_process(other)
        ),
    }
    return found | (compiled_libraries() if find_spec("rigour") else {})


def compiled_libraries() -> dict[str, Score]:
    """Those of config/requirements/names.txt."""
    from fingerprints import generate
    from rigour.names import NameTypeTag, analyze_names
    from rigour.names.compare import compare_parts

    def rigour(one: str, other: str) -> float:
        first, second = (next(iter(analyze_names(NameTypeTag.ORG, [name], {}))) for name in (one, other))
        aligned = compare_parts(list(first.parts), list(second.parts))
        return sum(part.score * part.weight for part in aligned) / sum(part.weight for part in aligned)

    return {
        "fingerprints + equality": lambda one, other: float(generate(one) == generate(other)),
        "rigour compare_parts": rigour,
    }


def measure(pairs: Pairs, score: Score, threshold: float = THRESHOLD) -> tuple[float, float, float]:
    """Precision, recall and the share of other companies taken for the one asked for, at the threshold."""
    return _measured([(score(pair["asked"], pair["shown"]), pair["label"]) for pair in pairs], threshold)


def _measured(scored: list[tuple[float, str]], threshold: float) -> tuple[float, float, float]:
    taken = {"same": 0, "other": 0}
    total = {"same": 0, "other": 0}
    for found, label in scored:
        total[label] += 1
        taken[label] += found >= threshold
    precision = taken["same"] / max(1, taken["same"] + taken["other"])
    return precision, taken["same"] / total["same"], taken["other"] / total["other"]


def best_threshold(pairs: Pairs, score: Score) -> float:
    """The threshold with the best F1 on these very pairs: favourable, for nobody knows it before the answers."""
    scored = [(score(pair["asked"], pair["shown"]), pair["label"]) for pair in pairs]

    def f1(threshold: float) -> float:
        precision, recall, _ = _measured(scored, threshold)
        return 2 * precision * recall / max(1e-9, precision + recall)

    return max(sorted({found for found, _ in scored}), key=f1)


def recall_without_error(pairs: Pairs, score: Score) -> float:
    """The most that a comparison finds at any threshold at which it takes no other company."""
    others = max(score(pair["asked"], pair["shown"]) for pair in pairs if pair["label"] == "other")
    same = [score(pair["asked"], pair["shown"]) for pair in pairs if pair["label"] == "same"]
    return sum(found > others for found in same) / len(same)


def wrong_where_sure(pairs: Pairs) -> Pairs:
    """The other companies that our comparison calls exact, or the same but for the legal form."""
    return [p for p in pairs if p["label"] == "other" and matching.compare(p["asked"], p["shown"]).kind in SURE]


def ours(one: str, other: str) -> float:
    """This project's comparison."""
    return matching.compare(one, other).score


def milliseconds(pairs: Pairs) -> float:
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


def table(pairs: Pairs) -> str:
    """A line for each comparison at our threshold."""
    lines = [f"{'':30}{'precision':>10}{'recall':>10}{'wrong company':>15}"]
    for name, score in {"SOS Lookup": ours, **libraries()}.items():
        precision, recall, wrong = measure(pairs, score)
        lines.append(f"{name:30}{precision:>10.1%}{recall:>10.1%}{wrong:>15.2%}")
    return "\n".join(lines) + "\n"


def table_at_best(pairs: Pairs) -> str:
    """A line for each comparison at the threshold of its best F1 on these pairs, and its recall without an error."""
    lines = [
        f"{'each at its own best F1':30}{'threshold':>10}{'precision':>10}{'recall':>10}{'wrong company':>15}"
        f"{'recall at no wrong one':>24}"
    ]
    for name, score in {"SOS Lookup": ours, **libraries()}.items():
        threshold = best_threshold(pairs, score)
        precision, recall, wrong = measure(pairs, score, threshold)
        lines.append(
            f"{name:30}{threshold:>10.3f}{precision:>10.1%}{recall:>10.1%}{wrong:>15.2%}"
            f"{recall_without_error(pairs, score):>24.1%}"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables."""
    pairs, held_out = read(), read_held_out()
    sys.stdout.write(f"{len(pairs)} labelled pairs, threshold {THRESHOLD}\n{table(pairs)}\n")
    sys.stdout.write(f"{len(held_out)} held-out pairs, threshold {THRESHOLD}\n{table(held_out)}\n")
    sys.stdout.write(f"{table_at_best(held_out)}\n")
    sys.stdout.write(f"held out, wrong company at exact or suffix_variant: {len(wrong_where_sure(held_out))}\n")
    sys.stdout.write(f"one name against 1,000 candidates: {milliseconds(pairs):.2f} ms\n")


if __name__ == "__main__":
    main()
