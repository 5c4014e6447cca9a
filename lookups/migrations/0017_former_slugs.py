"""The addresses that entity pages had before a change of name are kept, so that nobody has to search for them.

The database keeps them itself, in the statement that changes the name: a lookup has no question to ask for it.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.utils.text import slugify

FORMER = """INSERT INTO lookups_formerslug (entity_id, state, slug) SELECT OLD.id, OLD.state, OLD.slug
    WHERE NOT EXISTS (SELECT 1 FROM lookups_formerslug WHERE entity_id = OLD.id AND state = OLD.state AND slug = OLD.slug)"""
RENAMED = "AFTER UPDATE OF slug ON lookups_entity FOR EACH ROW WHEN (NEW.slug <> OLD.slug)"
CREATE = {
    "sqlite": [f"CREATE TRIGGER lookups_entity_keeps_slug {RENAMED} BEGIN {FORMER}; END"],
    "postgresql": [
        f"""CREATE OR REPLACE FUNCTION lookups_entity_keep_slug() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN {FORMER}; RETURN NULL; END $$""",
        f"""CREATE TRIGGER lookups_entity_keeps_slug {RENAMED} EXECUTE FUNCTION lookups_entity_keep_slug()""",
    ],
}
DROP = {
    "sqlite": ["DROP TRIGGER lookups_entity_keeps_slug"],
    "postgresql": [
        "DROP TRIGGER lookups_entity_keeps_slug ON lookups_entity",
        "DROP FUNCTION lookups_entity_keep_slug()",
    ],
}


def keep_from_now_on(apps, schema_editor):
    for statement in CREATE[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def keep_no_more(apps, schema_editor):
    for statement in DROP[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def find_former(apps, schema_editor):
    """Of each name that an entity with several versions had before, the address it was found under."""
    versions = apps.get_model("lookups", "RecordVersion").objects.select_related("entity")
    former = apps.get_model("lookups", "FormerSlug").objects
    several = versions.filter(entity__in=versions.filter(number__gt=1).values("entity"))
    for version in several.only("data", "entity__state", "entity__entity_id", "entity__slug").iterator(chunk_size=500):
        entity = version.entity
        parts = (slugify(version.data["entityName"])[:100].strip("-"), entity.state.lower(), slugify(entity.entity_id))
        slug = "-".join(part for part in parts if part)
        if slug != entity.slug:
            former.get_or_create(entity=entity, state=entity.state, slug=slug)


class Migration(migrations.Migration):
    dependencies = [("lookups", "0016_heartbeats")]

    operations = [
        migrations.CreateModel(
            name="FormerSlug",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state", models.CharField(max_length=2)),
                ("slug", models.CharField(max_length=240)),
                (
                    "entity",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_slugs",
                        to="lookups.entity",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("state", "slug", "entity"), name="former_slug_once"),
                ],
            },
        ),
        migrations.RunPython(find_former, migrations.RunPython.noop),
        migrations.RunPython(keep_from_now_on, keep_no_more),
    ]
