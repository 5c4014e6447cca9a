"""Former and assumed names are two things that a watch knows or does not: what it knew as one is known as both."""

from django.db import migrations

ONE, BOTH = "otherNames", ("formerNames", "assumedNames")


def forwards(apps, schema_editor):
    for kept in apps.get_model("lookups", "WatchBaseline").objects.iterator():
        if ONE in kept.known:
            kept.known = sorted({*kept.known, *BOTH} - {ONE})
            lookup = kept.carried.pop(ONE, None)
            kept.carried |= dict.fromkeys(BOTH, lookup) if lookup is not None else {}
            kept.save(update_fields=["known", "carried"])


def backwards(apps, schema_editor):
    for kept in apps.get_model("lookups", "WatchBaseline").objects.iterator():
        if not {*BOTH}.isdisjoint(kept.known):
            both = {*BOTH} <= {*kept.known}
            kept.known = sorted({*kept.known} - {*BOTH} | ({ONE} if both else set()))
            lookups = [kept.carried.pop(name, None) for name in BOTH]
            kept.carried |= {ONE: lookups[0]} if both and lookups[0] is not None else {}
            kept.save(update_fields=["known", "carried"])


class Migration(migrations.Migration):
    dependencies = [("lookups", "0031_fewer_indexes")]

    operations = [migrations.RunPython(forwards, backwards)]
