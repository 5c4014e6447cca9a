"""Users and roles: nobody changes anybody above their own rights, or gives what they have not got.

Users are switched off and never deleted: their names stand in the books. The ready-made roles stay as they are made.
"""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from billing import proof
from billing.admin import pages
from billing.models import Member
from config import roles
from jurisdictions.rows import find_row, get_row_or_404
from jurisdictions.shown import AsShown

for model in (User, Group, EmailAddress, Authenticator):
    admin.site.unregister(model)

RIGHTS = ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")


def list_rights(user: Any) -> QuerySet[Permission]:
    """What somebody may do, or could do once they are active again; a superuser everything."""
    if user.is_superuser:
        return Permission.objects.all()
    return Permission.objects.filter(Q(user=user) | Q(group__user=user)).distinct()


def has_all(user: Any, rights: QuerySet[Permission]) -> bool:
    """Whether somebody has every one of these rights."""
    return user.is_superuser or not rights.exclude(pk__in=list_rights(user).values("pk")).exists()


def reaches(user: Any, other: User) -> bool:
    """Whether `other` has no right that `user` has not."""
    return bool(user.is_superuser or (not other.is_superuser and has_all(user, list_rights(other))))


class WithinOwnRights:
    """What both pages share: rights to choose from, and a proof before anything is written."""

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **named: Any) -> Any:
        """Only what one has can be chosen, on the page and in whatever is sent."""
        mine = list_rights(request.user)
        if db_field.name == "groups":
            more = Permission.objects.exclude(pk__in=mine.values("pk"))
            named["queryset"] = Group.objects.exclude(permissions__in=more)
        else:
            named["queryset"] = Permission.objects.filter(pk__in=mine.values("pk")).select_related("content_type")
        return super().formfield_for_manytomany(db_field, request, **named)  # type: ignore[misc]

    def changeform_view(self, request: HttpRequest, *args: Any, **named: Any) -> Any:
        return _ask_first(request) or super().changeform_view(request, *args, **named)  # type: ignore[misc]


def _ask_first(request: HttpRequest) -> HttpResponse | None:
    """Where to go for a proof before a change; what was typed, passwords among it, is not kept meanwhile."""
    return proof.demand(request, keep=False) if request.method == "POST" else None


class StaffForm(AsShown, UserChangeForm):
    """Who a user is, and what they may do."""


@admin.register(User)
class StaffAdmin(WithinOwnRights, UserAdmin, ModelAdmin):  # type: ignore[type-arg]
    """Who may sign in, and what they may do."""

    form, add_form, change_password_form = StaffForm, UserCreationForm, AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_staff", "show_roles", "last_login")
    add_fieldsets = ((None, {"fields": ("username", "password1", "password2")}),)
    readonly_fields = ("last_login", "date_joined")
    actions_detail = ("reset_factors",)

    @admin.display(description="roles")
    def show_roles(self, obj: User) -> str:
        return ", ".join(obj.groups.values_list("name", flat=True)) or "—"

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or reaches(request.user, obj))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Neither of oneself, nor of who may do more, nor of who has none."""
        user = find_row(User, object_id)
        may = user is not None and user.pk != request.user.pk and self.has_change_permission(request, user)
        has_one = may and Authenticator.objects.filter(user=user).exists()
        return super().get_actions_detail(request, object_id) if has_one else []

    def has_reset_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change users may take a lost factor from one."""
        return super().has_change_permission(request)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Nobody gives rights to themselves, or another name: the books tell a second person by it. Only a superuser
        makes another one, and a member's address stays: links find them by the one they came with."""
        fields = super().get_readonly_fields(request, obj)
        if obj is not None and Member.objects.filter(user=obj.pk).exists():
            fields = (*fields, "username", "email")
        if obj is not None and obj.pk == request.user.pk:
            return (*fields, "username", *RIGHTS)
        return fields if request.user.is_superuser else (*fields, "is_superuser")

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        return _ask_first(request) or super().user_change_password(request, id, form_url)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Say in the history which rights came and went: that fields were changed says too little."""
        before = _say_rights(form.instance) if change else set()
        super().save_related(request, form, formsets, change)
        after = _say_rights(form.instance)
        came, went = sorted(after - before), sorted(before - after)
        if change and came + went:
            words = [f"+{one}" for one in came] + [f"-{one}" for one in went]
            self.log_change(request, form.instance, f"Rights of {form.instance.username}: {', '.join(words)}.")

    @action(description="Reset second factor", url_path="reset-factors", permissions=["reset"])
    def reset_factors(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """For somebody who has lost a device and the codes: at the next sign-in the password is enough."""
        user = get_row_or_404(User, object_id)
        if user.pk == request.user.pk or not self.has_change_permission(request, user):
            raise PermissionDenied
        back = reverse("admin:auth_user_change", args=[user.pk])
        refusal = proof.demand(request)
        if refusal or request.method != "POST":
            title = f"Take the second factors from {user}? Be sure that it is they who ask."
            return refusal or pages.ask(request, title, back=back)
        for factor in Authenticator.objects.filter(user=user):
            factor.delete()
        self.log_change(request, user, f"Reset the second factor of {user.username}.")
        messages.success(request, f"{user} has no second factor any more.")
        return redirect(back)


def _say_rights(user: User) -> set[str]:
    own = {".".join(pair) for pair in user.user_permissions.values_list("content_type__app_label", "codename")}
    return own | set(user.groups.values_list("name", flat=True))


@admin.register(Group)
class RoleAdmin(WithinOwnRights, GroupAdmin, ModelAdmin):  # type: ignore[misc]
    """The ready-made roles to read, and others to make."""

    form = AsShown

    list_display = ("name", "show_members")

    @admin.display(description="members")
    def show_members(self, obj: Group) -> str:
        return ", ".join(obj.user_set.order_by("username").values_list("username", flat=True)) or "—"

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        if not super().has_change_permission(request, obj) or obj is None:
            return super().has_change_permission(request, obj)
        return obj.name not in roles.ROLES and has_all(request.user, obj.permissions.all())

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """One at a time: what goes together leaves no history each."""
        return (
            obj is not None and super().has_delete_permission(request, obj) and self.has_change_permission(request, obj)
        )

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Say in the history what the role may do from now on."""
        super().save_related(request, form, formsets, change)
        pairs = form.instance.permissions.values_list("content_type__app_label", "codename")
        names = ", ".join(sorted(".".join(pair) for pair in pairs))
        self.log_change(request, form.instance, f"The role {form.instance.name} has: {names or 'nothing'}.")
