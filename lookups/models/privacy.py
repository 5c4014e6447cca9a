"""What people have asked to be left out or put right, and what is left out since."""

from __future__ import annotations

import re
import unicodedata
import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

_WORD = re.compile(r"\w+")


def to_person_key(name: str, *, most: int | None = 500) -> str:
    """A person's name as it is compared: "MERRILL, Adá" and "Ada Merrill" are one. Empty when it has no letter."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return " ".join(sorted(_WORD.findall(plain.casefold())))[:most]


class RemovalRequestQuerySet(models.QuerySet["RemovalRequest"]):
    """Requests by how far they are."""

    def open(self) -> Self:
        """Those that nobody has answered."""
        return self.filter(state=RemovalRequest.State.OPEN)

    def overdue(self, now: datetime) -> Self:
        """Open ones whose day is over."""
        return self.open().filter(due_at__lte=now)


class RemovalRequest(models.Model):
    """What somebody has asked by the public form, until when it is to be answered, and what came of it."""

    class Kind(models.TextChoices):
        """What is asked."""

        REMOVAL = "removal", "Leave something out"
        CORRECTION = "correction", "Put something right"

    class State(models.TextChoices):
        """How far it is."""

        OPEN = "open", "open"
        DONE = "done", "done"
        REFUSED = "refused", "refused"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    about = models.CharField(max_length=300, help_text="The page, or the company and its state, as it was typed.")
    entity = models.ForeignKey(
        "lookups.Entity",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="If it is known.",
    )
    name = models.CharField(max_length=200)
    email = models.EmailField()
    text = models.TextField(max_length=4000)
    received_at = models.DateTimeField()
    due_at = models.DateTimeField()
    state = models.CharField(max_length=7, choices=State.choices, default=State.OPEN)
    answer = models.TextField(max_length=4000, blank=True, default="", help_text="What was done, or why not.")
    handled_by = models.CharField(max_length=150, blank=True, default="")
    handled_at = models.DateTimeField(null=True, blank=True)

    objects = RemovalRequestQuerySet.as_manager()

    class Meta:
        ordering = ["due_at"]
        verbose_name = "removal or correction request"
        indexes = [models.Index(fields=["state", "due_at"], name="removal_request_by_day")]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", handled_at__isnull=True) | ~Q(state="open") & Q(handled_at__isnull=False),
                name="removal_request_ends_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.about}"


class SuppressionQuerySet(models.QuerySet["Suppression"]):
    """What is left out now."""

    def active(self) -> Self:
        """What nobody has lifted."""
        return self.filter(lifted_at__isnull=True)


class Suppression(models.Model):
    """One thing that is not shown and not stored any more: a company's page, a field of its record, or a person."""

    class Kind(models.TextChoices):
        """What is left out."""

        COMPANY = "company", "company: no public page, and no field below"
        FIELD = "field", "one field of a company"
        PERSON = "person", "a person, in one company or wherever the name stands"

    class Field(models.TextChoices):
        """What may be about a person. Name, status, type and dates of a company are facts that are never left out."""

        AGENT = "registeredAgentName", "registered agent"
        AGENT_ADDRESS = "registeredAgentAddress", "agent's address"
        PRINCIPAL = "principalAddress", "principal address"
        MAILING = "mailingAddress", "mailing address"
        OFFICERS = "officers", "officers"
        FEDERAL_NUMBER = "feiEinNumber", "federal number"

    kind = models.CharField(max_length=7, choices=Kind.choices)
    state = models.CharField(max_length=2, blank=True, default="", help_text="Two letters; may be empty for a person.")
    entity_id = models.CharField(
        max_length=120,
        blank=True,
        default="",
        help_text="The state's own identifier; empty for a person: every company.",
    )
    field = models.CharField(max_length=30, choices=Field.choices, blank=True, default="")
    person = models.CharField(max_length=200, blank=True, default="", help_text="As the registry writes the name.")
    person_key = models.CharField(max_length=500, blank=True, default="", editable=False)
    reason = models.TextField(max_length=2000)
    request = models.ForeignKey(
        RemovalRequest, on_delete=models.SET_NULL, null=True, blank=True, related_name="suppressions"
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    made_at = models.DateTimeField(editable=False)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True, editable=False)

    objects = SuppressionQuerySet.as_manager()

    class Meta:
        ordering = ["-made_at"]
        indexes = [
            models.Index(fields=["state", "entity_id"], condition=Q(lifted_at__isnull=True), name="suppressed_company"),
            models.Index(fields=["person_key"], condition=Q(lifted_at__isnull=True), name="suppressed_person"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="company", field="", person_key="") & ~Q(state="") & ~Q(entity_id="")
                | Q(kind="field", person_key="") & ~Q(field="") & ~Q(state="") & ~Q(entity_id="")
                | Q(kind="person", field="") & ~Q(person_key="") & (Q(entity_id="") | ~Q(state="")),
                name="suppression_names_its_thing",
            ),
        ]

    def __str__(self) -> str:
        where = f"{self.state} {self.entity_id}".strip() or "everywhere"
        return f"{self.person or self.get_field_display() or 'company'} ({where})"
