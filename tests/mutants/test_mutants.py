"""The changes that `make mutants` makes, and that a change put in place is one that every caller meets."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone

from billing import accounts, locks
from billing.models import Account
from lookups.lookup import payers, rows
from lookups.models import jobs
from scrapers import failures
from scrapers.normalize import names
from scrapers.search import matching
from tests.mutants.changes import list_changes
from tests.mutants.install import install
from tests.mutants.targets import EXPLAINED, TARGETS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''
"""What it is for."""
from enum import StrEnum
from functools import cache
LIMIT = 3
class Word(StrEnum):
    NEAR = "near"
    FAR = "far"
class Failure(Exception):
    reason = "down"
    def __init__(self, text: str) -> None:
        super().__init__(text)
def take(amount: int, *, most: int = LIMIT) -> int:
    """Take it."""
    if amount > most:
        raise ValueError("Too much at once.")
    return amount + 1
@cache
@cache
def wrap(paper: int) -> int:
    return paper + 1
'''


@pytest.fixture
def shop() -> Iterator[ModuleType]:
    """A module that is loaded, as one that is changed later."""
    module = ModuleType("billing.a_shop_in_a_test")
    module.__file__ = "shop.py"
    exec(SOURCE, vars(module))
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


class TestTheChanges:
    def test_of_a_module_are_these(self) -> None:
        assert [(change.place, change.old, change.new) for change in list_changes("shop.py", SOURCE)] == [
            ("", "3", "4"),
            ("Word", 'NEAR = "near"', "pass"),
            ("Word", '"near"', "'changed'"),
            ("Word", 'FAR = "far"', "pass"),
            ("Word", '"far"', "'changed'"),
            ("Failure", 'reason = "down"', "pass"),
            ("Failure", '"down"', "'changed'"),
            ("Failure.__init__", "super().__init__(text)", "pass"),
            ("take", "amount > most", "True"),
            ("take", "amount > most", "False"),
            ("take", "amount > most", "amount >= most"),
            ("take", 'raise ValueError("Too much at once.")', "pass"),
            ("take", "return amount + 1", "return None"),
            ("take", "amount + 1", "amount - 1"),
            ("take", "1", "2"),
            ("wrap", "return paper + 1", "return None"),
            ("wrap", "paper + 1", "paper - 1"),
            ("wrap", "1", "2"),
        ]

    def test_that_are_written_alike_are_kept_apart(self) -> None:
        found = list_changes("x.py", "def f():\n    a = max(0, b or 0)\n    return 0\n")
        assert [change.old for change in found if change.new == "1"] == ["0", "0 (no. 2)", "0 (no. 3)"]

    @pytest.mark.parametrize(
        ("line", "changed"),
        [
            ("a = b and not c", {"a = (b or (not c))", "a = (b)", "a = ((not c))", "a = b and c"}),
            ("f(x=1, y=2)", {"pass", "f( y=2)", "f(x=1, )", "f(x=2, y=2)", "f(x=1, y=3)"}),
            ("a.b += c", {"a.b -= c", "pass"}),
            ("a = [b for b in c if b]", {"a = [b for b in c if True]"}),
            ("if a := f(): g = a", {"if not ((a := f())): g = a"}),
            ("a = min(b, key=c)", {"a = max(b, key=c)", "a = min(b, )"}),
            ("a = b.filter(c).order_by(d)", {"a = b.filter(c)", "a = b.order_by(d)"}),
            ("log.error('what is logged', 1)", set()),
            ("raise E(f'{a + 1} is too much') from b", {"pass"}),
        ],
    )
    def test_of_a_line_are_these(self, line: str, changed: set[str]) -> None:
        found = {change.text.splitlines()[1].strip() for change in list_changes("x.py", f"def f():\n    {line}\n")}
        assert found == changed

    @pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.module)
    def test_of_each_module_in_the_table_can_be_loaded_and_tried(self, target: object) -> None:
        module, tests = target.module, target.tests  # type: ignore[attr-defined]
        source = (ROOT / module).read_text(encoding="utf-8")
        changes = list_changes(module, source)
        assert len(changes) > 10
        for change in changes[::20]:
            compile(change.text, module, "exec")
            assert change.text != source
        assert all((ROOT / path).exists() for path in tests)

    def test_that_are_explained_are_still_there(self) -> None:
        for module, explained in EXPLAINED.items():
            found = {change.key for change in list_changes(module, (ROOT / module).read_text(encoding="utf-8"))}
            assert set(explained) <= found, module
            assert all(reason.endswith(".") for reason in explained.values())


class TestAChangePutInPlace:
    def install(self, shop: ModuleType, old: str, new: str) -> None:
        assert old in SOURCE
        install(shop.__name__, SOURCE.replace(old, new))

    def test_is_met_by_who_holds_the_function(self, shop: ModuleType) -> None:
        take = shop.take
        self.install(shop, "amount + 1", "amount - 1")
        assert take(2) == 1

    def test_of_a_default_is_met_too(self, shop: ModuleType) -> None:
        take = shop.take
        self.install(shop, "most: int = LIMIT", "most: int = 1")
        with pytest.raises(ValueError, match="Too much"):
            take(2)

    def test_behind_several_decorators_is_met(self, shop: ModuleType) -> None:
        wrap = shop.wrap
        self.install(shop, "paper + 1", "paper - 1")
        assert wrap(2) == 1

    def test_of_a_constant_is_met_by_who_imported_it(self, shop: ModuleType) -> None:
        other = ModuleType("billing.a_customer_in_a_test")
        other.LIMIT = shop.LIMIT  # type: ignore[attr-defined]
        sys.modules[other.__name__] = other
        try:
            self.install(shop, "LIMIT = 3", "LIMIT = 4")
            assert (shop.LIMIT, other.LIMIT) == (4, 4)
        finally:
            del sys.modules[other.__name__]

    def test_of_a_value_of_its_own_class_is_met_by_who_imported_it(self) -> None:
        source = (ROOT / "lookups/lookup/payers.py").read_text(encoding="utf-8")
        try:
            install(payers.__name__, source.replace("FREE = Paid(0, None)", "FREE = Paid(1, None)"))
            assert payers.Paid(1, None) == rows.FREE
        finally:
            install(payers.__name__, source)
        assert payers.Paid(0, None) == rows.FREE

    def test_of_a_pattern_is_met(self) -> None:
        path = ROOT / "scrapers/normalize/names.py"
        source = path.read_text(encoding="utf-8")
        pattern = r'(?:pc|pa)\s*$", flags=re.IGNORECASE)'
        assert source.count(pattern) == 1
        assert matching.compare("Gaming", "GAMING PC").kind == "close"
        try:
            install(names.__name__, source.replace(pattern, pattern.replace(", flags=re.IGNORECASE", "")))
            assert matching.compare("Gaming", "GAMING PC").kind == "suffix_variant"
        finally:
            install(names.__name__, source)
        assert matching.compare("Gaming", "GAMING PC").kind == "close"

    def test_of_a_class_is_met_by_who_holds_it(self, shop: ModuleType) -> None:
        failure = shop.Failure
        self.install(shop, '    reason = "down"\n', "")
        assert not hasattr(failure, "reason")
        self.install(shop, "super().__init__(text)", "pass")
        assert failure("x").args == ("x",)  # kept by BaseException.__new__

    def test_of_an_enum_is_met_by_who_holds_it(self, shop: ModuleType) -> None:
        words, near = shop.Word, shop.Word.NEAR
        self.install(shop, '"far"', '"away"')
        assert ([*words], words("away") is words.FAR) == (["near", "away"], True)
        self.install(shop, '    FAR = "far"\n', "")
        assert ([*words], words.NEAR is near) == (["near"], True)

    def test_of_what_a_member_holds_is_met_in_the_modules_own_words(self) -> None:
        live, path = failures.Failure.DOWN, Path(str(failures.__file__))
        source = path.read_text(encoding="utf-8")
        try:
            install(
                failures.__name__, source.replace("retry_after=30,\n            pause=5.0", "retry_after=7, pause=5.0")
            )
            assert (live.facts.retry_after, live.facts.health is failures.Health.ILL) == (7, True)
            assert isinstance(live.facts, failures.Facts)
            assert failures.find_failure("down") is live
        finally:
            install(failures.__name__, source)
        assert live.facts.retry_after == 30

    @pytest.mark.django_db
    def test_of_a_planned_statement_is_met_by_who_runs_it(self) -> None:
        account = accounts.open_account(name="Acme", now=timezone.now())
        source, lock = Path(str(locks.__file__)).read_text(encoding="utf-8"), locks.lock_account
        try:
            install(locks.__name__, source.replace('.filter(id=Blank("id")))', '.exclude(id=Blank("id")))', 1))
            with transaction.atomic(), pytest.raises(Account.DoesNotExist):
                lock(account.pk)
        finally:
            install(locks.__name__, source)
        with transaction.atomic():
            assert lock(account.pk) == account

    def test_leaves_a_model_alone_and_meets_its_query_set(self) -> None:
        source = Path(str(jobs.__file__)).read_text(encoding="utf-8")
        model = apps.get_model("lookups", "Job")
        try:
            install(
                jobs.__name__,
                source.replace("return self.filter(bulk__isnull=True, watch__isnull=True)", "return self.none()"),
            )
            assert model is apps.get_model("lookups", "Job")
            assert model._default_manager.single().query.is_empty()
        finally:
            install(jobs.__name__, source)

    def test_that_names_no_outer_name_any_more_works(self, shop: ModuleType) -> None:
        self.install(shop, "super().__init__(text)", "self.args = ()")
        assert shop.Failure("x").args == ()
