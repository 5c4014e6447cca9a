"""THE TABLE of `make mutants`: which modules are changed, which tests must notice, and what no test can notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A module and the tests it is tried by.

    `servers`: also on PostgreSQL and Redis, for what SQLite cannot show. `places`: only functions and classes that
    begin so, where the rest of a module is tables, which are held by their migrations.
    """

    module: str
    tests: tuple[str, ...]
    servers: bool = False
    places: tuple[str, ...] = ("",)


BILLING = ("tests/billing",)
LOOKUPS = (
    "tests/lookups/test_payers_outside.py",
    "tests/lookups/test_questions_taken_up.py",
    "tests/lookups/test_settlement_rules.py",
    "tests/lookups/test_flow_rules.py",
    "tests/lookups/test_lifecycle_rules.py",
    "tests/lookups/test_payer_rules.py",
    "tests/lookups/test_lookup.py",
    "tests/lookups/test_jobs.py",
    "tests/lookups/test_stopped_jobs.py",
    "tests/lookups/test_handover.py",
    "tests/lookups/test_name_availability.py",
    "tests/lookups/test_pay_per_request.py",
    "tests/lookups/test_lost_replies.py",
    "tests/lookups/test_settled_at_once.py",
    "tests/lookups/watches/test_watching.py",
    "tests/lookups/identifiers/test_included.py",
)
PAID = ("tests/lookups/test_paid_once.py",)
READ = ("tests/lookups/test_answers_from_a_copy.py", "tests/lookups/test_readings.py")
MATCHING = ("tests/matching", "tests/scrapers/test_shortlist.py")
FAILURES = (
    "tests/scrapers/test_failures_by_name.py",
    "tests/scrapers/test_failures.py",
    "tests/scrapers/test_breaker.py",
)

TARGETS = (
    Target("billing/ledger.py", BILLING, servers=True),
    Target("billing/locks.py", BILLING, servers=True),
    Target("billing/posting.py", BILLING, servers=True),
    Target("billing/budgets.py", BILLING),
    Target("billing/keys.py", BILLING, servers=True),
    Target("billing/topups.py", BILLING),
    Target("billing/reversals.py", BILLING, servers=True),
    Target("billing/giving_back.py", BILLING),
    Target("lookups/lookup/settlement.py", LOOKUPS, servers=True),
    Target("lookups/lookup/rows.py", LOOKUPS, servers=True),
    Target("lookups/lookup/flow.py", (*LOOKUPS, *PAID, *READ)),
    Target("lookups/lookup/payers.py", (*LOOKUPS, *PAID)),
    Target("lookups/jobs/lifecycle.py", LOOKUPS),
    Target("lookups/models/jobs.py", (*LOOKUPS, "tests/lookups/test_revoked_keys.py"), places=("is_", "JobQuerySet")),
    Target("lookups/models/lookups.py", LOOKUPS, places=("LookupQuerySet",)),
    Target("scrapers/search/matching.py", MATCHING),
    Target("scrapers/failures.py", FAILURES),
)

# (place, before, after): why the changed module does the same; the three as `--list` prints them.
Explained = dict[tuple[str, str, str], str]
LOCK = "A stronger lock: rows that point at the account wait for it too, and nothing else changes."
NO_LOOK = "Written by its number: what has none is inserted, what has one is updated; the word saves a look."
UNDER_LOCK = "The other columns were read under the row's lock in this very transaction."
NOTHING_TO_DO = "A query more that updates nothing: no key has no number, and nothing is given back."
A_CONDITION = "Asked for as a condition only."
ONE_MORE = "How many a sweep takes on at a time; the next one takes the others."
IS_LOCKED = "It is locked already; the word saves a query."
SAVES_A_QUERY = "It saves a query, whose answer is known."
ASKS_ITSELF = "Whoever is asked then looks at the state itself; the word saves a query."
SAID_BEFORE = "Where nothing changes, that is said before."
IN_VAIN = "What is not credited is looked at in vain, and not counted."
SAVES_WORK = "It saves work: no trading name scores better than an equal name, or than itself."
ENOUGH_SEEN = "own.score == 1.0 or len(mine) == len(theirs) == 1"
NO_COMMA = "Without a comma nothing is turned."
TURNED = 'own.features == ("word_order",) and ("," in asked or "," in shown) and _is_turned(asked, shown)'
HAS_ENDED = "What has ended has a verdict; mypy wants to be told."
OWN = "Both payers have their own."
NO_STATE = "No state has a rule of that name either."
WHEN_LOADED = "Read by others when they are loaded: what the API takes is held by the document and its own tests."
SINGLE_ONLY = "A query more: the outbox looks for single jobs only."
STAYS_LAST = "What comes last in an order stays last."
A_COUNTY = 'word == "co" and after and at and words[at - 1] != "and"'
EXPLAINED: dict[str, Explained] = {
    "billing/ledger.py": {
        ("hold", "locked or lock_account(account_id)", "(lock_account(account_id))"): IS_LOCKED,
        ("capture", "locked or lock_hold(hold_id)", "(lock_hold(hold_id))"): IS_LOCKED,
        ("release", "locked or lock_hold(hold_id)", "(lock_hold(hold_id))"): IS_LOCKED,
        (
            "hold",
            "(entry := _find_same(account_id, request)) and entry.hold",
            "(((entry := _find_same(account_id, request))))",
        ): "An entry of a hold has its hold; mypy wants to be told.",
        ("adjust", "amount < 0", "amount <= 0"): "An adjustment of nothing was refused before.",
        ("adjust", "0", "1"): "An adjustment of nothing was refused before.",
        ("expire_holds", "1000", "1001"): ONE_MORE,
        ("_hold", "row=row", ""): "Else its caller writes the row; the word saves a statement.",
        ("_write", "row=row", ""): "Else its caller writes the row; the word saves a statement.",
        ("_settle_part", '""', "'changed'"): "A capture has no reason, and ends as captured whatever it were.",
        ("_settle_part", "amount is not None or held.state != Hold.State.OPEN", "True"): SAVES_A_QUERY,
        ("_settle_part", "0", "1"): "Nobody reads the units beside an entry of before.",
        (
            "_end_state",
            "not untouched and held.entries.filter(kind=Kind.CAPTURE).exists()",
            "(held.entries.filter(kind=Kind.CAPTURE).exists())",
        ): SAVES_A_QUERY,
        ("expire_holds", "continue", "pass"): "It is the last statement of its loop.",
    },
    "billing/locks.py": {
        ("", "no_key=True", ""): LOCK,
        ("", "True", "False"): LOCK,
        ("", "no_key=True,", ""): LOCK,
        ("", "True (no. 2)", "False"): LOCK,
    },
    "billing/posting.py": {
        ("post", "force_insert=True", ""): NO_LOOK,
        ("post", "True", "False"): NO_LOOK,
        ("post", "force_update=True,", ""): NO_LOOK,
        ("post", "True (no. 2)", "False"): NO_LOOK,
        ("post", "True (no. 3)", "False"): NO_LOOK,
        ("post", "force_update=True, (no. 2)", ""): NO_LOOK,
        ("post", "update_fields=PROGRESS", ""): UNDER_LOCK,
        ("post", "update_fields=SUMS", ""): UNDER_LOCK,
        ("_post_in_one", "entry.hold = hold", "pass"): "Only a new hold's entry lacks it, and nobody gets that one.",
        ("_named_fields", "field.name in names", "True"): UNDER_LOCK,
        ("_post_in_one", "entry.hold_id = hold.pk", "pass"): "The statement selects it; the entry gets it later.",
    },
    "billing/budgets.py": {
        ("give_back", "budget_month=month (no. 2)", ""): "The keys of a chain are counted in the same month.",
        ("list_same", "account__keys=key_id,", ""): "Only those of the chain are followed; others are read in vain.",
        ("give_back", "key_id is not None and amount", "True"): NOTHING_TO_DO,
        ("give_back", "key_id is not None and amount", "(amount)"): NOTHING_TO_DO,
        ("give_back", "key_id is not None and amount", "((key_id is not None))"): NOTHING_TO_DO,
        ("give_back", "key_id is not None and amount", "((key_id is not None) or amount)"): NOTHING_TO_DO,
        ("_take_from_key", 'row["monthly_budget"] or 0', "((row['monthly_budget']))"): "With none it fits.",
        ("used_by_keys", "kind__in=kinds,", ""): "A key's other entries leave what is available as it is.",
        ("used_by_keys", "0 (no. 2)", "1"): "It is negated, and less than nothing counts as nothing.",
    },
    "billing/keys.py": {
        ("revoke", 'fields=["revoked_at"]', ""): "Reads the other columns again too.",
        ("rotate", 'fields=["revoked_at"]', ""): "Reads the other columns again too.",
        ("rotate", 'update_fields=["revoked_at"]', ""): UNDER_LOCK,
    },
    "billing/topups.py": {
        ("", "300", "301"): "A second more of five minutes.",
        ("_completed", "topup.payment_intent", "True"): "Nothing was heard of a payment without a name.",
        ("start", 'update_fields=["session_id"]', ""): "It was made here, and the other columns are as they were.",
        ("refund", "0", "1"): "What is refunded is whole cents, which are a hundred units each.",
        ("_completed", 'update_fields=["payment_intent"]', ""): UNDER_LOCK,
        ("_completed", 'update_fields=["state"]', ""): UNDER_LOCK,
        ("_completed", 'update_fields=["state", "paid_at"]', ""): UNDER_LOCK,
        ("_not_paid", 'update_fields=["state"]', ""): UNDER_LOCK,
        ("_units", "cents > 0", "cents >= 0"): "Nothing is nothing in the other unit, too.",
    },
    "billing/reversals.py": {
        ("list_returnable", "purpose=Payment.Purpose.LOOKUP,", ""): "There are two purposes; the other is named.",
        ("_write", "account_id=account_id,", ""): "The key names the credit, which is of one account.",
        ("settle", 'update_fields=["taken_back"]', ""): UNDER_LOCK,
        ("settle", "change < 0", "change <= 0"): SAID_BEFORE,
        ("_write", "change > 0", "change >= 0"): SAID_BEFORE,
        ("_write", "0 (no. 2)", "1"): "Money that comes back is whole cents, which are a hundred units each.",
        ("_write", "causes", "True"): "Nothing changes but by one that is new; the word guards against none.",
        ("settle", "0", "1"): SAID_BEFORE,
        ("_note", "is_new", "False"): "A new one is as it was heard, so nothing of it changes.",
        (
            "_note",
            "before != (known.amount, known.withdrawn, known.reinstated)",
            "True",
        ): "What says nothing new is settled once more, and changes nothing.",
        ("_note", 'update_fields=["amount", "withdrawn", "reinstated", "is_settled"]', ""): UNDER_LOCK,
        ("settle_late", "state=TopUp.State.PAID", ""): IN_VAIN,
        ("settle_late", 'reference=OuterRef("payment_reference")', ""): IN_VAIN,
    },
    "billing/giving_back.py": {
        ("_is_seen", "return False", "return None"): A_CONDITION,
        ("find_unseen", "payment.reference", "True"): "Nothing is given back of a payment that has no name.",
        ("_is_seen", "return False (no. 2)", "return None"): A_CONDITION,
    },
    "lookups/lookup/settlement.py": {
        ("never", "return False", "return None"): A_CONDITION,
        ("find_stored", "kind=question.kind,", ""): "The digest of a question is another for each kind.",
        ("", 'kind=Blank("kind"),', ""): "The digest of a question is another for each kind.",
        ("_same", 'pk=OuterRef("state")', ""): ASKS_ITSELF,
        ("Locked", "False", "True"): ASKS_ITSELF,
        (
            "_settle",
            "is_fresh and locked.is_off and ask.payer.payment is None",
            "(is_fresh and (ask.payer.payment is None))",
        ): ASKS_ITSELF,
        ("settle_reply", "ask.payer.payment is not None", "True"): ASKS_ITSELF,
        ("settle_reply", "reading=reply.reading", ""): SAVES_A_QUERY,
        ("_same", "no_key=True,", ""): LOCK,
        ("_same", "True", "False"): LOCK,
        ("_sell_stored", "is_locked=True", ""): IS_LOCKED,
        ("_sell_stored", "True", "False"): IS_LOCKED,
        ("_settle", "is_locked=True", ""): IS_LOCKED,
        ("_settle", "True", "False"): IS_LOCKED,
        ("_settle", "is_locked=True (no. 2)", ""): IS_LOCKED,
        ("_settle", "True (no. 2)", "False"): IS_LOCKED,
        ("_end_lost", "pk=number", ""): "Each turn ends one that is lost, in whichever order.",
        ("_sell_stored", "locked.held is not None", "True"): "Where nothing was held, a payer releases nothing.",
        ("end_unattended", "500", "501"): ONE_MORE,
    },
    "lookups/lookup/rows.py": {
        ("_paid", "0", "1"): "No answer costs a single unit.",
        ("refuse_repetition", "ask.ref is None", "False"): "The statement without a ref has no place for one.",
        ("refuse_repetition", "return locked", "return None"): SAVES_A_QUERY,
        ("accept", "locked=locked,", ""): IS_LOCKED,
        ("accept", "no_key=True", ""): LOCK,
        ("accept", "True", "False"): LOCK,
        ("accept", "row=lookup", ""): SAVES_A_QUERY,
        ("AskedBefore.__init__", "super().__init__(lookup.public_id)", "pass"): "Its text is for a log.",
        ("accept", "ask.sandbox and lookup.pk is None", "False"): "A transaction more around one statement.",
        ("end", "lookup.bulk_id is not None", "True"): "A query more: only rows of a bulk request are repeated.",
    },
    "lookups/models/lookups.py": {
        ("LookupQuerySet", '"Lookup"', "'changed'"): "A type's name, which only mypy reads.",
    },
    "lookups/models/jobs.py": {
        ("JobQuerySet", '"Job"', "'changed'"): "A type's name, which only mypy reads.",
    },
    "lookups/jobs/lifecycle.py": {
        ("list_unheard", "500", "501"): ONE_MORE,
        ("", "hours=6", ""): WHEN_LOADED,
        ("", "6", "7"): WHEN_LOADED,
        ("end", "job.bulk_id is not None or job.watch_id is not None", "False"): SINGLE_ONLY,
        (
            "end",
            "job.bulk_id is not None or job.watch_id is not None",
            "((job.bulk_id is not None) and (job.watch_id is not None))",
        ): SINGLE_ONLY,
        ("end", "job.bulk_id is not None or job.watch_id is not None", "((job.watch_id is not None))"): SINGLE_ONLY,
        ("end", "job.bulk_id is not None or job.watch_id is not None", "((job.bulk_id is not None))"): SINGLE_ONLY,
        ("", 'id=Blank("id"),', ""): "A claim is one job's.",
        ("_end_unchanged", "job.claim is None", "True"): "The same statement, which Django writes anew.",
    },
    "lookups/lookup/payers.py": {
        ("Payer.capture", "False", "True"): OWN,
        ("Payer.capture", "return FREE", "return None"): OWN,
        ("Payer.charge", "return FREE", "return None"): OWN,
        ("Payer.release", "False", "True"): OWN,
        ("KeyPayer.hold", "locked=locked,", ""): IS_LOCKED,
        ("KeyPayer.hold", "row=row,", ""): "Else its caller writes the row; the word saves a statement.",
        ("KeyPayer.capture", "is_locked", "False"): IS_LOCKED,
        ("KeyPayer.capture", "locked=locked,", ""): IS_LOCKED,
        ("KeyPayer._capture_less", "locked=locked, (no. 2)", ""): IS_LOCKED,
        ("KeyPayer._capture_less", "reference=bill.reference,", ""): "Without words a capture has those of its hold.",
        ("KeyPayer.release", "is_locked", "False"): IS_LOCKED,
        ("KeyPayer.release", "locked=locked,", ""): IS_LOCKED,
        ("CredentialPayer.capture", "False", "True"): "Nothing of a ledger is locked for it.",
    },
    "lookups/lookup/flow.py": {
        (
            "_wait_for",
            "settings.SYNC_BUDGET_SECONDS - stopwatch.seconds",
            "settings.SYNC_BUDGET_SECONDS + stopwatch.seconds",
        ): "Some hundredths of a second more.",
        ("_answer", "known=known", ""): SAVES_A_QUERY,
        ("_ask_registry", "known=known", ""): SAVES_A_QUERY,
        ("_ask_registry", "known=known (no. 2)", ""): SAVES_A_QUERY,
        ("_fetch", '"portal"', "'changed'"): "A word of a trace.",
        ("_fetch", "state=query.state,", ""): "A word of a trace.",
        ("_fetch", "kind=query.kind", ""): "A word of a trace.",
        (
            "_deliver_owed",
            "lookup.verdict is None and checks.find_objection(ask, now=stopwatch.now) is None",
            "((lookup.verdict is None))",
        ): "What may not be asked is refused by the gateway too, and stays owed.",
        ("_deliver_owed", '"internal-payment-error"', "'changed'"): "An unknown word breaks down, which says the same.",
        ("_answer", "0.0", "0.01"): "A hundredth of a second more.",
        ("perform", 'result.lookup.verdict or ""', "(result.lookup.verdict)"): HAS_ENDED,
        ("perform", '""', "'changed'"): HAS_ENDED,
        ("answer", "1.0", "1.01"): "A hundredth of a second more for a fetch whose time was over.",
        ("_perform", "ask.resumed", "True"): "Two looks more: a new ask finds nothing under its id.",
    },
    "scrapers/search/matching.py": {
        ("", "1", "2"): "An exact name has the better score than another legal form, which goes first then.",
        ("", "4", "5"): STAYS_LAST,
        ("", "2 (no. 2)", "3"): STAYS_LAST,
        ("Ranked", "False", "True"): "Whoever ranks says it.",
        ("compare", '""', "'changed'"): NO_STATE,
        ("rank", '""', "'changed'"): NO_STATE,
        ("match_by_id", '""', "'changed'"): NO_STATE,
        ("match_by_id", '"" (no. 2)', "'changed'"): NO_STATE,
        (
            "alone",
            "word and any(word in names.plain(row.name).split() for row in rows)",
            "(any((word in names.plain(row.name).split() for row in rows)))",
        ): "No name has an empty word; the first half saves a search.",
        (
            "_may_be_a_word",
            'form.legal_form in ("pc", "pa") and names.FORM_WITHOUT_SIGNS.search(one) is not None',
            "((names.FORM_WITHOUT_SIGNS.search(one) is not None))",
        ): "What ends so has that form; the first half saves a search.",
        ("compare", "1.0", "1.01"): SAVES_WORK,
        ("compare", ENOUGH_SEEN, "False"): SAVES_WORK,
        ("compare", ENOUGH_SEEN, "((own.score == 1.0) and (len(mine) == len(theirs) == 1))"): SAVES_WORK,
        ("compare", ENOUGH_SEEN, "((len(mine) == len(theirs) == 1))"): SAVES_WORK,
        ("compare", ENOUGH_SEEN, "((own.score == 1.0))"): SAVES_WORK,
        (
            "_spelled_out",
            A_COUNTY,
            "((word == 'co') and at and (words[at - 1] != 'and'))",
        ): "A last co is a legal form and not among the words.",
        ("compare", TURNED, "((own.features == ('word_order',)) and _is_turned(asked, shown))"): NO_COMMA,
        ("_is_typo", "return False", "return None"): A_CONDITION,
        ("_reads_a_letter_as_a_number", "return False", "return None"): A_CONDITION,
        (
            "_compare_spelled_out",
            "len(asked.key.split()) < len(shown.key.split())",
            "len(asked.key.split()) <= len(shown.key.split())",
        ): "Where as many words are written, neither word is truer.",
        ("_is_only_divided", "key=len", ""): "Of two sets the one within the other goes first, too.",
        ("_is_only_divided", "few <= many", "few < many"): "Names divided alike are equal, and were compared before.",
        (
            "_spelled_out",
            A_COUNTY,
            "((word == 'co') and after and (words[at - 1] != 'and'))",
        ): "A first one is initials.",
        ("compare", "default=own", ""): "Every name has at least one trading name: itself.",
        ("_compare_spelled_out", "True", "False"): "The two lengths were compared before.",
        ("_is_one_vowel", "True", "False"): "The two lengths were compared before.",
        (
            "_is_one_vowel",
            'set(differing[0]) <= set("aeiou")',
            "set(differing[0]) < set('aeiou')",
        ): "Two letters are never all five.",
        ("_compare_spelled_out", "strict=True", ""): "The two lengths were compared before.",
        ("_is_one_vowel", "strict=True", ""): "The two lengths were compared before.",
        ("_compare_legal_forms", 'return "variant"', "return None"): "Callers ask for the other three words only.",
        ("_compare_legal_forms", '"variant"', "'changed'"): "Callers ask for the other three words only.",
    },
    "scrapers/failures.py": {
        ("PortalError.__init__", "super().__init__(detail)", "pass"): "BaseException.__new__ keeps the text.",
    },
}
