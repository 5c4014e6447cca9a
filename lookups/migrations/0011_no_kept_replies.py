"""Replies are kept no more, and the rules of what took their place hold; a record's version is never changed."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.exceptions import IrreversibleError
from django.db.models import Q

TABLE = "lookups_recordversion"
MESSAGE = "what a registry said is never changed"
CREATE = {
    "sqlite": [
        f"""CREATE TRIGGER {TABLE}_keeps_facts BEFORE UPDATE OF entity_id, number, data, normalized, facts, first_read_at
            ON {TABLE} BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"""
    ],
    "postgresql": [
        f"""CREATE OR REPLACE FUNCTION {TABLE}_refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'restrict_violation'; END $$""",
        f"""CREATE TRIGGER {TABLE}_keeps_facts
            BEFORE UPDATE OF entity_id, number, data, normalized, facts, first_read_at ON {TABLE}
            FOR EACH ROW EXECUTE FUNCTION {TABLE}_refuse()""",
    ],
}
DROP = {
    "sqlite": [f"DROP TRIGGER IF EXISTS {TABLE}_keeps_facts"],
    "postgresql": [f"DROP TRIGGER IF EXISTS {TABLE}_keeps_facts ON {TABLE}"],
}
BILLED = ["found", "free", "taken", "cannot_say"]


def protect(apps, schema_editor):
    for statement in CREATE[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def unprotect(apps, schema_editor):
    if any(apps.get_model("lookups", name).objects.exists() for name in ("Lookup", "Entity")):
        raise IrreversibleError("What is kept now does not fit into the tables of version 1.3: restore the backup.")
    for statement in DROP[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("lookups", "0010_outcomes_of_replies")]

    operations = [
        *(
            migrations.RemoveField("entity", name)
            for name in ("data", "normalized", "evidence", "as_of", "version", "built_at")
        ),
        migrations.RemoveConstraint("storedanswer", "answer_fits_its_kind"),
        migrations.RemoveField("lookup", "answer"),
        migrations.RemoveField("storedanswer", "entity"),
        migrations.RemoveField("storedanswer", "filings"),
        migrations.AddConstraint(
            "storedanswer",
            models.CheckConstraint(
                condition=Q(kind="ucc", filing_set__isnull=False, version__isnull=True)
                | Q(kind="business_entity", version__isnull=False, filing_set__isnull=True),
                name="answer_fits_its_kind",
            ),
        ),
        migrations.RemoveField("lookup", "outcome"),
        migrations.AddIndex(
            "lookup",
            models.Index(condition=Q(verdict__isnull=True), fields=["created_at"], name="lookup_open"),
        ),
        migrations.AddIndex("lookup", models.Index(fields=["account", "-id"], name="lookup_by_account")),
        migrations.AddIndex(
            "lookup",
            models.Index(condition=Q(ref__isnull=False), fields=["account", "ref"], name="lookup_by_ref"),
        ),
        migrations.AddConstraint(
            "lookup", models.UniqueConstraint(fields=["bulk", "position"], name="lookup_once_per_row")
        ),
        migrations.AddConstraint(
            "lookup",
            models.CheckConstraint(
                condition=Q(cost=0) | Q(verdict__in=BILLED, cost__gt=0, sandbox=False), name="lookup_only_found_costs"
            ),
        ),
        migrations.AddConstraint(
            "lookup",
            models.CheckConstraint(
                condition=Q(verdict__isnull=True, ended_at__isnull=True)
                | Q(verdict__isnull=False, ended_at__isnull=False),
                name="lookup_ends_with_a_verdict",
            ),
        ),
        migrations.AlterField(
            "job",
            "lookup",
            models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="job", to="lookups.lookup"
            ),
        ),
        *(migrations.RemoveField("job", name) for name in ("question", "reply_status", "reply")),
        migrations.AddConstraint(
            "job",
            models.CheckConstraint(
                condition=Q(status="pending", claim__isnull=True, ended_at__isnull=True)
                | Q(status="processing", claim__isnull=False, lease_until__isnull=False, ended_at__isnull=True)
                | Q(status__in=["complete", "failed"], ended_at__isnull=False),
                name="job_fits_its_status",
            ),
        ),
        migrations.DeleteModel("BulkRow"),
        *(migrations.RemoveField("idempotencyrecord", name) for name in ("status", "headers", "body")),
        migrations.RunPython(protect, unprotect),
    ]
