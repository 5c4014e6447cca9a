"""What was taken back is kept by refund and dispute, and taken whole: an account may owe.

Before, what a customer had spent already was noted as a shortfall of the top-up and never asked for again. It becomes
part of what is to be taken back, and the next sweep enters it. A message that waited for its top-up becomes what it
says. SQLite writes a table anew for a constraint, and the triggers that guard the entries would be lost with the old
one: they are lifted before and stand again after it.
"""

from django.db import migrations, models
from django.db.models import Max, Q, Sum

from billing import append_only


def protect(apps, schema_editor):
    append_only.protect(schema_editor.connection, [append_only.ENTRIES])


def unprotect(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, [append_only.ENTRIES])


def note(apps, **known):
    """One refund or dispute, unless a message that came twice has brought it before."""
    reversals = apps.get_model("billing", "Reversal").objects
    row, is_new = reversals.get_or_create(name=known["name"], defaults=known)
    if not is_new:
        row.amount = max(row.amount, known["amount"])
        row.withdrawn |= known["withdrawn"]
        row.reinstated |= known.get("reinstated", False)
        row.save()


def keep_what_was_taken(apps, schema_editor):
    topups = apps.get_model("billing", "TopUp").objects
    entries = apps.get_model("billing", "LedgerEntry").objects
    for topup in topups.filter(taken_back__gt=0, payment_intent__isnull=False).iterator():
        payment = topup.payment_intent
        own = entries.filter(account_id=topup.account_id, kind="adjust", reference=payment[:200])
        refunds = -(own.filter(reason="card_refund").aggregate(sum=Sum("amount"))["sum"] or 0)
        if not own.filter(reason="dispute").exists():
            refunds = topup.taken_back
        refunds = min(refunds, topup.taken_back)
        known = {"payment_reference": payment, "withdrawn": True, "heard_at": topup.paid_at or topup.created_at}
        if refunds:
            note(apps, kind="card_refund", name=payment, amount=refunds, **known)
        if topup.taken_back > refunds:
            name = f"before: {payment}"[:255]
            note(apps, kind="dispute", name=name, amount=topup.taken_back - refunds, **known)
        topup.taken_back = topup.taken_back - topup.shortfall if topup.state == "paid" else 0
        topup.save(update_fields=["taken_back"])


def keep_what_waits(apps, schema_editor):
    for seen in apps.get_model("billing", "ProviderEvent").objects.exclude(waits_for="").iterator():
        about = ((seen.content or {}).get("data") or {}).get("object") or {}
        cents = about.get("amount_refunded" if seen.kind == "charge.refunded" else "amount")
        if type(cents) is not int or cents <= 0:
            continue
        payment = seen.waits_for
        known = {"payment_reference": payment, "amount": cents * 100, "withdrawn": True, "heard_at": seen.received_at}
        if seen.kind == "charge.refunded":
            note(apps, kind="card_refund", name=payment, **known)
        else:
            name = str(about.get("id") or f"dispute of {payment}")[:255]
            won = seen.kind == "charge.dispute.closed" and about.get("status") == "won"
            note(apps, kind="dispute", name=name, reinstated=won, **known)


def keep_last_times(apps, schema_editor):
    entries = apps.get_model("billing", "LedgerEntry").objects
    accounts = apps.get_model("billing", "Account").objects
    last = entries.order_by().values("account").annotate(last=Max("created_at"))
    for row in last.iterator():
        accounts.filter(pk=row["account"]).update(last_entry_at=row["last"])


def moves(kinds, available=0, held=0, spent=0):
    amount = models.F("amount")
    changes = {"available_change": amount * available, "held_change": amount * held, "spent_change": amount * spent}
    return Q(kind__in=kinds, amount__gte=0, **changes)


KINDS = [
    ("deposit", "deposit"),
    ("free_grant", "free lookups"),
    ("hold", "hold"),
    ("capture", "capture"),
    ("release", "release"),
    ("charge", "charge"),
    ("refund", "refund"),
    ("adjust", "adjustment"),
    ("reversal", "reversal"),
]


class Migration(migrations.Migration):
    dependencies = [("billing", "0010_payments_taken_up_again")]

    operations = [
        migrations.CreateModel(
            name="Reversal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "payment_reference",
                    models.CharField(db_index=True, help_text="The payment's name at its method.", max_length=255),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("card_refund", "card refund"),
                            ("dispute", "dispute"),
                            ("by_staff", "entered by staff"),
                        ],
                        max_length=11,
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="A dispute's own name; a payment's for its refunds, which add up.",
                        max_length=255,
                        unique=True,
                    ),
                ),
                ("amount", models.BigIntegerField(help_text="The most that was heard of, in 1/10,000 USD.")),
                (
                    "withdrawn",
                    models.BooleanField(default=False, help_text="The money has left us. An inquiry moves none."),
                ),
                (
                    "reinstated",
                    models.BooleanField(default=False, help_text="It has come back: the dispute was won."),
                ),
                (
                    "is_settled",
                    models.BooleanField(
                        default=False, help_text="The ledger has it; off: its payment is not credited."
                    ),
                ),
                ("heard_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(condition=Q(is_settled=False), fields=["heard_at"], name="reversal_open")],
                "constraints": [models.CheckConstraint(condition=Q(amount__gt=0), name="reversal_of_something")],
            },
        ),
        migrations.AddField("account", "last_entry_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField(
            "account",
            "owing_told_at",
            models.DateTimeField(editable=False, help_text="When its owner was told.", null=True),
        ),
        migrations.AddField(
            "payment",
            "taken_back",
            models.BigIntegerField(default=0, help_text="Refunded or disputed, in 1/10,000 USD."),
        ),
        migrations.RunPython(keep_what_was_taken, migrations.RunPython.noop),
        migrations.RunPython(keep_what_waits, migrations.RunPython.noop),
        migrations.RunPython(keep_last_times, migrations.RunPython.noop),
        migrations.RemoveField("providerevent", "content"),
        migrations.RemoveField("providerevent", "waits_for"),
        migrations.RemoveField("topup", "shortfall"),
        migrations.RemoveConstraint("account", "account_available_not_negative"),
        migrations.RunPython(unprotect, protect),
        migrations.RemoveConstraint("ledgerentry", "entry_moves_as_its_kind"),
        migrations.RemoveConstraint("ledgerentry", "entry_leaves_no_debt"),
        migrations.AlterField("ledgerentry", "kind", models.CharField(choices=KINDS, max_length=10)),
        migrations.AlterField(
            "ledgerentry",
            "amount",
            models.BigIntegerField(
                help_text="In 1/10,000 USD; negative only where an adjustment or a reversal takes."
            ),
        ),
        migrations.AddConstraint(
            "ledgerentry",
            models.CheckConstraint(
                condition=moves(["deposit", "free_grant"], available=1)
                | moves(["hold"], available=-1, held=1)
                | moves(["capture"], held=-1, spent=1)
                | moves(["release"], available=1, held=-1)
                | moves(["charge"], available=-1, spent=1)
                | moves(["refund"], available=1, spent=-1)
                | Q(
                    kind__in=["adjust", "reversal"],
                    available_change=models.F("amount"),
                    held_change=0,
                    spent_change=0,
                ),
                name="entry_moves_as_its_kind",
            ),
        ),
        migrations.AddConstraint(
            "ledgerentry",
            models.CheckConstraint(
                condition=Q(held_after__gte=0, spent_after__gte=0)
                & (Q(available_after__gte=0) | Q(amount=0) | ~Q(kind__in=["hold", "charge"])),
                name="entry_buys_nothing_on_debt",
            ),
        ),
        migrations.RunPython(protect, unprotect),
    ]
