"""Buying credit by card and coming back, and the receipts of what was paid."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from billing import money, selectors, topups
from billing.accounting import receipts
from billing.models import LedgerEntry, TopUp
from billing.payments.stripe import CardsNotConfigured
from lookups import client_address
from lookups.api.views import paging
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.balance.forms import TopUpForm
from lookups.workspace.balance.views import show

PAGE = 200
LOOKS, PAUSE = 12, 5  # how often, and after how many seconds, the page looks whether the payment has come


@require_POST
@workspace(role="admin")
def top_up(request: WorkspaceRequest) -> HttpResponse:
    """Lead to the card provider's page; nothing is paid before the person confirms it there."""
    form, now = TopUpForm(request.POST), timezone.now()
    rate = client_address.count(request, now=now)
    if not rate.allowed:
        form.add_error(None, "Too many attempts from your network in this minute. Please wait a little.")
        response = show(request, topup_form=form, status=429)
        response["Retry-After"] = f"{rate.retry_after}"
        return response
    if not form.is_valid():
        return show(request, topup_form=form, status=400)
    try:
        _, address = topups.start(
            account=request.member.account,
            amount=form.cleaned_data["amount"],
            success_url=f"{settings.PUBLIC_URL}{reverse('workspace:topup-done')}?topup={{topup}}",
            cancel_url=f"{settings.PUBLIC_URL}{reverse('workspace:topup-cancelled')}?topup={{topup}}",
            now=now,
        )
    except (CardsNotConfigured, topups.ProviderUnavailable) as away:
        form.add_error(None, str(away))
        return show(request, topup_form=form, status=503)
    return HttpResponseRedirect(address, status=303)  # what follows is a GET


@require_safe
@workspace(role="admin")
def done(request: WorkspaceRequest) -> HttpResponse:
    """Back from the card page. The balance grows when the provider says so, which the page waits for a minute long."""
    own, is_named = selectors.list_topups(request.member.account_id), "topup" in request.GET
    paid = _find_named(request) if is_named else own.first()
    looked = paging.read_number(request.GET.get("look"), "look", {}, most=LOOKS) or 0
    again = ""
    if paid is not None and paid.state == paid.State.CREATED and looked < LOOKS:
        again = reverse("workspace:topup-done", query={"topup": paid.pk, "look": looked + 1})
    return show(request, came_back=paid, look_again=again, pause=PAUSE)


@require_safe
@workspace(role="admin")
def cancelled(request: WorkspaceRequest) -> HttpResponse:
    """Back from the card page without having paid; or after it was paid all the same, in another tab."""
    left = _find_named(request)
    if left is not None and left.state == left.State.PAID:
        return show(request, came_back=left)
    again = TopUpForm(initial={"amount": f"{money.to_dollars(left.amount):.2f}"}) if left else None
    return show(request, left_off=True, topup_form=again)


def _find_named(request: WorkspaceRequest) -> TopUp | None:
    """The account's top-up that the address names."""
    wanted = paging.read_number(request.GET.get("topup"), "topup", {}, most=paging.LAST) or 0  # which no top-up has
    return selectors.list_topups(request.member.account_id).filter(pk=wanted).first()


@require_safe
@workspace(role="admin")
def list_receipts(request: WorkspaceRequest) -> HttpResponse:
    """What was paid in, newest first, each with its receipt or the button that makes it."""
    before = paging.read_number(request.GET.get("before"), "before", {}, most=paging.LAST)
    paid = receipts.list_paid(request.member.account_id)
    page = list((paid if before is None else paid.filter(pk__lt=before))[: PAGE + 1])
    back = receipts.sum_given_back(page)
    context = {
        "paid": [(entry, getattr(entry, "receipt", None), back.get(entry.pk)) for entry in page[:PAGE]],
        "older": page[PAGE - 1].pk if len(page) > PAGE else None,
    }
    return render(request, "workspace/balance/receipts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@workspace(role="admin")
def receipt(request: WorkspaceRequest, entry_id: int) -> HttpResponse:
    """A page to print. A POST makes it: it takes the next number, and keeps it."""
    own = LedgerEntry.objects.filter(account_id=request.member.account_id)
    entry = get_object_or_404(own.select_related("account"), pk=entry_id)
    try:
        if request.method == "POST":
            receipts.issue(entry, now=timezone.now())
            return redirect("workspace:receipt", entry_id)
        issued = receipts.find(entry)
    except receipts.NoReceipt as nothing:
        raise Http404 from nothing
    back = receipts.sum_given_back([entry]).get(entry.pk)
    context = {"receipt": issued, "entry": entry, "given_back": back, "seller": settings.SELLER}
    return render(request, "workspace/balance/receipt.html", context)
