"""The columns in which the outcome of a lookup is kept, beside those it is moved from by the next migration."""

import django.db.models.deletion
from django.db import migrations, models

VERDICTS = [
    ("found", "found"),
    ("not_found", "not found"),
    ("ambiguous", "ambiguous"),
    ("refused", "refused"),
    ("unavailable", "unavailable"),
    ("failed", "failed"),
    ("cancelled", "cancelled"),
    ("free", "free"),
    ("taken", "taken"),
    ("cannot_say", "cannot say"),
]


class Migration(migrations.Migration):
    dependencies = [("billing", "0005_american_spelling"), ("lookups", "0008_trade_words")]

    operations = [
        # Companies: who they are, and what was read of them.
        migrations.RemoveIndex("storedentity", "entity_by_time"),
        migrations.RenameModel("StoredEntity", "Entity"),
        migrations.AlterModelOptions("entity", {"ordering": ["-last_read_at"], "verbose_name_plural": "entities"}),
        migrations.RenameField("entity", "retrieved_at", "last_read_at"),
        migrations.AddIndex("entity", models.Index(fields=["-last_read_at"], name="entity_by_time")),
        migrations.CreateModel(
            "RecordVersion",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(help_text="1 for the first.")),
                ("data", models.JSONField()),
                ("normalized", models.JSONField()),
                (
                    "facts",
                    models.CharField(help_text="SHA-256 of both, to tell whether anything differs.", max_length=64),
                ),
                ("evidence", models.JSONField(help_text="sourceUrl, retrievedAt, sha256 of what was read last.")),
                ("first_read_at", models.DateTimeField()),
                ("last_read_at", models.DateTimeField()),
                (
                    "as_of",
                    models.DateTimeField(
                        blank=True, help_text="The day the source says its data is from.", null=True
                    ),
                ),
                ("reader_version", models.CharField(max_length=16)),
                ("reader_built_at", models.CharField(max_length=40)),
                (
                    "entity",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="lookups.entity"
                    ),
                ),
            ],
            {"ordering": ["entity", "-number"]},
        ),
        migrations.AddConstraint(
            "recordversion", models.UniqueConstraint(fields=["entity", "number"], name="version_once_per_number")
        ),
        migrations.CreateModel(
            "FilingSet",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state", models.CharField(max_length=2)),
                ("question", models.CharField(max_length=64)),
                ("sandbox", models.BooleanField(default=False)),
                ("filings", models.JSONField()),
                (
                    "facts",
                    models.CharField(
                        help_text="SHA-256 of the filings, to tell whether anything differs.", max_length=64
                    ),
                ),
                ("first_read_at", models.DateTimeField()),
                ("last_read_at", models.DateTimeField()),
            ],
            {"ordering": ["-id"]},
        ),
        migrations.AddIndex(
            "filingset", models.Index(fields=["question", "state", "sandbox"], name="filings_by_question")
        ),
        # Answers.
        migrations.RenameField("storedanswer", "version", "reader_version"),
        migrations.RenameField("storedanswer", "built_at", "reader_built_at"),
        migrations.AddField(
            "storedanswer",
            "version",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="lookups.recordversion",
            ),
        ),
        migrations.AddField(
            "storedanswer",
            "filing_set",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="lookups.filingset",
            ),
        ),
        # Lookups.
        migrations.RemoveConstraint("lookup", "lookup_only_found_costs"),
        migrations.AddField(
            "lookup",
            "origin",
            models.CharField(choices=[("api", "API"), ("bulk", "bulk request")], default="api", max_length=4),
        ),
        migrations.AddField(
            "lookup",
            "bulk",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="lookups",
                to="lookups.bulkjob",
            ),
        ),
        migrations.AddField(
            "lookup",
            "position",
            models.PositiveIntegerField(blank=True, help_text="Its row in the bulk request, from 0.", null=True),
        ),
        migrations.AddField(
            "lookup",
            "repeats",
            models.ForeignKey(
                blank=True,
                help_text="The row before it that asks the same: ended and paid for together.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="repetitions",
                to="lookups.lookup",
            ),
        ),
        migrations.AddField(
            "lookup",
            "ref",
            models.CharField(blank=True, help_text="The customer's own mark, echoed.", max_length=200, null=True),
        ),
        migrations.AddField(
            "lookup",
            "question",
            models.JSONField(default=dict, help_text="The whole question, to ask it again after a crash."),
        ),
        migrations.AddField(
            "lookup",
            "price",
            models.BigIntegerField(default=0, help_text="Quoted when it was accepted, in 1/10,000 USD."),
        ),
        migrations.AddField(
            "lookup",
            "verdict",
            models.CharField(blank=True, choices=VERDICTS, max_length=11, null=True),
        ),
        migrations.AlterField(
            "lookup",
            "reason",
            models.CharField(blank=True, default="", help_text="Why nothing is known, as a word.", max_length=40),
        ),
        migrations.AddField(
            "lookup",
            "refusal",
            models.JSONField(blank=True, help_text="What the sentence of a refusal names.", null=True),
        ),
        migrations.AddField(
            "lookup",
            "version",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="lookups",
                to="lookups.recordversion",
            ),
        ),
        migrations.AddField(
            "lookup",
            "filing_set",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="lookups",
                to="lookups.filingset",
            ),
        ),
        migrations.AddField(
            "lookup",
            "match",
            models.JSONField(blank=True, help_text="How well the record fits the question.", null=True),
        ),
        migrations.AddField(
            "lookup", "related", models.JSONField(blank=True, default=list, help_text="Other records that fit.")
        ),
        migrations.AddField(
            "lookup",
            "candidates",
            models.JSONField(blank=True, default=list, help_text="Records that come near, where none was chosen."),
        ),
        migrations.AddField(
            "lookup", "name_check", models.JSONField(blank=True, help_text="What is known of a name.", null=True)
        ),
        migrations.AddField("lookup", "total", models.PositiveIntegerField(default=0)),
        migrations.AddField("lookup", "note", models.TextField(blank=True, default="")),
        migrations.AddField(
            "lookup",
            "evidence",
            models.JSONField(blank=True, help_text="sourceUrl, retrievedAt, sha256 of what was read.", null=True),
        ),
        migrations.AlterField(
            "lookup",
            "source",
            models.CharField(
                choices=[("live", "live"), ("stored", "stored record"), ("copy", "copy of bulk data")],
                default="live",
                max_length=6,
            ),
        ),
        migrations.AddField("lookup", "data_as_of", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "lookup",
            "expires_at",
            models.DateTimeField(blank=True, help_text="Until when a stored answer serves.", null=True),
        ),
        migrations.AddField("lookup", "reader_version", models.CharField(blank=True, default="", max_length=16)),
        migrations.AddField("lookup", "reader_built_at", models.CharField(blank=True, default="", max_length=40)),
        migrations.AddField(
            "lookup",
            "retry_at",
            models.DateTimeField(blank=True, help_text="When its registry may be asked again.", null=True),
        ),
        migrations.AddField(
            "lookup",
            "balance_after",
            models.BigIntegerField(blank=True, help_text="What was left then, in 1/10,000 USD.", null=True),
        ),
        migrations.AlterField("lookup", "duration_ms", models.PositiveIntegerField(blank=True, null=True)),
        migrations.AddField("lookup", "ended_at", models.DateTimeField(blank=True, null=True)),
        # Jobs and keys.
        migrations.AddField(
            "job",
            "lookup",
            models.OneToOneField(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="job", to="lookups.lookup"
            ),
        ),
        migrations.RemoveConstraint("job", "job_fits_its_status"),
        migrations.AddField("idempotencyrecord", "is_answered", models.BooleanField(default=False)),
    ]
