"""People of an account: who may do what in the workspace, and where they are signed in."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from billing.models.accounts import Account

# What stands in the words of a browser, and whose it is: each also names those that it wants to be taken for.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class Member(models.Model):
    """One person's place in one account. The person is a user without a password and without any right in the admin."""

    class Role(models.TextChoices):
        """From reading to owning; each may do what those before it may."""

        VIEWER = "viewer", "viewer"
        MEMBER = "member", "member"
        ADMIN = "admin", "admin"
        OWNER = "owner", "owner"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships", db_index=False
    )
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="members")
    role = models.CharField(max_length=6, choices=Role.choices, default=Role.MEMBER)
    joined_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "account"], name="member_once_an_account"),
            models.CheckConstraint(
                condition=Q(role__in=["viewer", "member", "admin", "owner"]), name="member_role_known"
            ),
        ]

    def __str__(self) -> str:
        """As the audit log names who did something: names of people may have to be forgotten."""
        return f"member {self.pk} of account {self.account_id}"

    def can(self, role: str) -> bool:
        """Whether this member may do what `role` may."""
        ranks = self.Role.values
        return ranks.index(self.role) >= ranks.index(role)


class MemberSession(models.Model):
    """One browser in which a member is signed in; known to us by the hash of what its cookie holds."""

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="sessions")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    livemode = models.BooleanField(default=True, help_text="Off: the sandbox is worked in.")
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    address = models.CharField(max_length=50, blank=True, default="")
    browser = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        ordering = ["-seen_at"]
        default_permissions = ("view", "delete")

    def __str__(self) -> str:
        return f"session {self.pk} of {self.member}"

    @property
    def browser_name(self) -> str:
        """Which browser it is and on what, as far as its own words say so: "Safari on iPhone"."""
        program = next((name for word, name in BROWSERS if word in self.browser), self.browser[:40] or "A browser")
        system = next((name for word, name in SYSTEMS if word in self.browser), "")
        return f"{program} on {system}" if system else program


class Invitation(models.Model):
    """A place in an account that waits for whoever proves to have the address. It holds no secret."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="invitations", db_index=False)
    email = models.EmailField()
    role = models.CharField(max_length=6, choices=Member.Role.choices, default=Member.Role.MEMBER)
    invited_by = models.CharField(max_length=254, blank=True, default="", editable=False)
    created_at = models.DateTimeField(editable=False)
    mailed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["account", "email"], name="invitation_once_an_account")]

    def __str__(self) -> str:
        return f"invitation {self.pk} to account {self.account_id}"


class SignInLink(models.Model):
    """A link that signs in whoever has the address, once and for a quarter of an hour.

    `sealed` holds its secret only while somebody still has to get it: until it is mailed, or, without a mail server, as
    long as the link works.
    """

    email = models.EmailField()
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    sealed = models.TextField(blank=True, default="", editable=False)
    next = models.CharField(max_length=500, blank=True, default="", editable=False)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ("view",)
        permissions = [("show_signinlink", "Can see a link that signs in as a customer")]
        verbose_name = "sign-in link"

    def __str__(self) -> str:
        return f"sign-in link {self.pk}"


class FreeGrant(models.Model):
    """That an address has had its free lookups. It is kept as a keyed hash, and outlives the account."""

    address_hash = models.CharField(max_length=64, unique=True, editable=False)
    given_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"free lookups {self.pk}"
