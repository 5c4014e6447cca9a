"""What registries answered is kept of every attempt, as readings; the pages of failed attempts become some of them."""

import hashlib
import zlib
from datetime import timedelta, timezone

import django.db.models.deletion
import rfc8785
from django.db import migrations, models

SLICE = 200  # attempts


def _sha256(value):
    return hashlib.sha256(value if isinstance(value, bytes) else rfc8785.dumps(value)).hexdigest()


def _record(page, sha256, size):
    at = page.asked_at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "at": at,
        "method": page.method,
        "url": page.url,
        "sent": None,
        "status": page.status,
        "headers": {"content-type": page.content_type} if page.content_type else {},
        "body": {"sha256": sha256, "size": size, "cuts": [], "whole": page.is_whole},
        "peer": None,
        "certificate": None,
        "copy": None,
    }


def take_over(apps, schema_editor):
    """The pages of failed attempts, which are a week old at most."""
    Page, Reading, Body = (apps.get_model("scrapers", name) for name in ("AttemptPage", "Reading", "Body"))
    attempts = list(Page.objects.order_by("attempt").values_list("attempt", flat=True).distinct())
    for first in range(0, len(attempts), SLICE):
        some = {}
        for page in Page.objects.filter(attempt__in=attempts[first : first + SLICE]).select_related("attempt"):
            some.setdefault(page.attempt_id, []).append(page)
        for pages in some.values():
            _keep(Reading, Body, sorted(pages, key=lambda page: page.number))


def _keep(Reading, Body, pages):
    attempt, until, records = pages[0].attempt, pages[-1].asked_at + timedelta(days=7), []
    for page in pages:
        packed = bytes(page.body)
        body = zlib.decompress(packed)
        sha256 = _sha256(body)
        records.append(_record(page, sha256, len(body)))
        known = Body.objects.filter(pk=sha256).first()
        if known is None:
            Body.objects.create(
                sha256=sha256, size=len(body), packed_size=len(packed), packed=packed, keep_until=until
            )
        elif known.keep_until < until:
            Body.objects.filter(pk=sha256).update(keep_until=until)
    asked = {"name": attempt.question, "entity_id": None, "search_by": "debtor", "date_after": None, "date_before": None}
    Reading.objects.create(
        attempt_id=attempt.pk,
        state=attempt.state,
        sandbox=attempt.sandbox,
        kind=attempt.kind,
        outcome=attempt.outcome,
        question={"state": attempt.state, "kind": attempt.kind, **asked},
        reader_version=attempt.version,
        reader_built_at="",
        reader_revision="",
        read_at=attempt.started_at,
        exchanges=records,
        sha256=_sha256([_sha256(record) for record in records]),
        keep_until=until,
    )


class Migration(migrations.Migration):

    dependencies = [
        ('scrapers', '0009_waits'),
    ]

    operations = [
        migrations.AddField(
            model_name='bulkcopy',
            name='sha256',
            field=models.CharField(blank=True, default='', help_text='Of that file.', max_length=64),
        ),
        migrations.CreateModel(
            name='Body',
            fields=[
                ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('size', models.PositiveIntegerField(help_text='Bytes.')),
                ('packed_size', models.PositiveIntegerField(help_text='Bytes, compressed.')),
                ('packed', models.BinaryField(blank=True, help_text='Empty: they are in the folder or at the S3 service.', null=True)),
                ('keep_until', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'bodies',
                'indexes': [models.Index(fields=['keep_until'], name='body_by_end')],
            },
        ),
        migrations.CreateModel(
            name='Reading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(max_length=2)),
                ('sandbox', models.BooleanField(default=False)),
                ('kind', models.CharField(max_length=16)),
                ('outcome', models.CharField(max_length=16)),
                ('question', models.JSONField(help_text="What was asked, as the registry's reader takes it.")),
                ('reader_version', models.CharField(max_length=16)),
                ('reader_built_at', models.CharField(max_length=40)),
                ('reader_revision', models.CharField(help_text='Of the source of what reads this state.', max_length=16)),
                ('read_at', models.DateTimeField()),
                ('exchanges', models.JSONField()),
                ('sha256', models.CharField(help_text='Of the hashes of the exchanges.', max_length=64)),
                ('keep_until', models.DateTimeField(help_text='The bytes are kept so long, and the row as long as a lookup cites it.')),
                ('attempt', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='readings', to='scrapers.scrapeattempt')),
            ],
            options={
                'ordering': ['-read_at'],
            },
        ),
        migrations.RunPython(take_over, migrations.RunPython.noop),
        migrations.DeleteModel(
            name='AttemptPage',
        ),
        migrations.AddIndex(
            model_name='reading',
            index=models.Index(fields=['keep_until'], name='reading_by_end'),
        ),
        migrations.AddIndex(
            model_name='reading',
            index=models.Index(condition=models.Q(('outcome__in', ('found', 'not_found')), _negated=True), fields=['state', '-read_at'], name='reading_failed'),
        ),
    ]
