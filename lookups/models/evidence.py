"""What lets somebody check an answer who does not trust us: signed manifests, the keys, and the chain over all of them.

Entries of the chain are never changed or removed, whoever asks: a database trigger refuses it. They hold hashes alone,
so that nothing of a customer has to stay for the chain to stay whole.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q


class SigningKeyQuerySet(models.QuerySet["SigningKey"]):
    """Keys by whether they still sign."""

    def in_use(self, now: datetime) -> Self:
        """Those whose signatures of that moment count."""
        return self.filter(Q(retired_at__isnull=True) | Q(retired_at__gt=now))


class SigningKey(models.Model):
    """The public half of a key of this installation; the private one is made of the salt and an operator's secret.

    Each key is vouched for by the one before it: `signature` is that one's, over what is published of this one.
    """

    id = models.CharField(primary_key=True, max_length=16, help_text="Beginning of the public key's SHA-256.")
    number = models.PositiveIntegerField(unique=True, help_text="1 for the first.")
    salt = models.CharField(max_length=64, editable=False)
    public_key = models.CharField(max_length=44, help_text="Ed25519, the 32 bytes in base64.")
    archive_public_key = models.CharField(max_length=200, help_text="ECDSA P-384 for archive files, DER in base64.")
    valid_from = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Nothing is signed with it from then on.")
    reason = models.CharField(max_length=200, help_text="Why it was made.")
    previous = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="successor")
    signature = models.CharField(max_length=88, blank=True, default="", help_text="Of the key before it.")

    objects = SigningKeyQuerySet.as_manager()

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return f"signing key {self.id}"


class Manifest(models.Model):
    """What is signed of one lookup's end: who asked what, how it ended, and the hashes of what it rests on.

    `document` is the exact text; null once its account is erased. Its hash and signature stay.
    """

    lookup = models.OneToOneField("lookups.Lookup", on_delete=models.CASCADE, related_name="manifest")
    document = models.TextField(null=True)
    sha256 = models.CharField(max_length=64, unique=True)
    signature = models.CharField(max_length=88, help_text="Ed25519 over the document, in base64.")
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="+", db_index=False)
    is_chained = models.BooleanField(default=False)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["id"], condition=Q(is_chained=False), name="manifest_to_chain")]

    def __str__(self) -> str:
        return f"manifest {self.sha256[:16]}"


class ChainTip(models.Model):
    """The last entry of the chain, in one row: who appends holds its lock."""

    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"up to {self.number}"


class ChainEntry(models.Model):
    """One manifest in the chain: SHA-256 over the hash of the entry before it and the manifest's."""

    number = models.PositiveBigIntegerField(unique=True, help_text="1 for the first; none is left out.")
    manifest = models.OneToOneField(Manifest, on_delete=models.PROTECT, related_name="entry")
    manifest_sha256 = models.CharField(max_length=64)
    previous_hash = models.CharField(max_length=64, unique=True, help_text="64 zeros for the first.")
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["number"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.number} {self.hash[:16]}"


class ChainHead(models.Model):
    """The chain's last entry at some hour, signed, and what a time-stamp authority said of it where one is asked."""

    number = models.PositiveBigIntegerField(unique=True, help_text="The entry it is.")
    document = models.TextField(help_text="What is signed: number, hash and time.")
    signature = models.CharField(max_length=88)
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="+", db_index=False)
    made_at = models.DateTimeField()
    token = models.BinaryField(null=True, editable=False, help_text="The authority's reply (RFC 3161), DER.")
    stamped_at = models.DateTimeField(null=True, blank=True, help_text="The authority's time.")
    refusal = models.CharField(max_length=200, blank=True, default="", help_text="Why there is none yet.")

    class Meta:
        ordering = ["-number"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"head at {self.number}"
