"""What there is to spend, what became of it, and how much a month may cost."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from billing import budgets, prices, selectors, statements, topups
from lookups import account_settings
from lookups.api.views import paging
from lookups.notifications import result_mail
from lookups.pages.views import POLICY
from lookups.workspace import periods
from lookups.workspace.access import WorkspaceRequest, workspace
from lookups.workspace.balance.forms import BudgetForm, TopUpForm

PAGE, LATEST = 200, 10
# A browser follows the form's answer to the card provider's page only where form-action allows it.
TO_CARD_PAGE = POLICY.replace("form-action 'self'", "form-action 'self' https:")


@require_safe
@workspace(role="admin")
def balance(request: WorkspaceRequest) -> HttpResponse:
    """The sums, a top-up, the budget and the latest entries."""
    return show(request)


@require_POST
@workspace(role="admin")
def budget(request: WorkspaceRequest) -> HttpResponse:
    """Set how much a month may cost."""
    form = BudgetForm(request.POST)
    if not form.is_valid():
        return show(request, budget_form=form, status=400)
    limit = form.cleaned_data["monthly_budget"]
    account_settings.change_in_workspace(member=request.member, now=timezone.now(), monthly_budget=limit)
    return redirect("workspace:balance")


@require_safe
@workspace(role="admin")
def statement(request: WorkspaceRequest) -> HttpResponse:
    """A period's entries between the sums before and after them, the newest first."""
    period, wrong = periods.read(request.GET, today=timezone.now().date())
    made = _make(request, period)
    before = paging.read_number(request.GET.get("before"), "before", {}, most=paging.LAST)
    entries = made.entries.select_related("key").order_by("-id")
    page = list((entries if before is None else entries.filter(pk__lt=before))[: PAGE + 1])
    today = timezone.now().date()
    this_month = periods.month_of(today)
    last_month = periods.month_of(this_month.before().first)
    context = {
        "statement": made,
        "period": period,
        "wrong": wrong,
        "kinds": statements.sum_up(made),
        "entries": page[:PAGE],
        "older": page[PAGE - 1].pk if len(page) > PAGE else None,
        "quick": [("This month", f"month={today:%Y-%m}"), ("Last month", last_month.query)],
        "account": request.member.account,
        "seller": settings.SELLER,
    }
    return render(request, "workspace/balance/statement.html", context)


@require_safe
@workspace(role="admin")
def export(request: WorkspaceRequest) -> HttpResponse | StreamingHttpResponse:
    """All entries of the period, oldest first, as a table."""
    period, wrong = periods.read(request.GET, today=timezone.now().date())
    if wrong:
        return HttpResponse(wrong, status=400, content_type="text/plain; charset=utf-8")
    headers = {"Content-Disposition": f'attachment; filename="statement-{period.first}-{period.last}.csv"'}
    lines = statements.write_csv(_make(request, period), for_staff=False)
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


def show(
    request: WorkspaceRequest,
    *,
    topup_form: TopUpForm | None = None,
    budget_form: BudgetForm | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The page, with a form as it was filled in where something about it is wrong."""
    account = request.member.account
    month = budgets.month_of(timezone.now())
    sums = selectors.get_balance(account.pk)
    cards = topups.are_cards_configured()
    context = {
        "account": account,
        "sums": sums,
        "covered": prices.lookups_covered(sums.spendable),
        "price": prices.LOOKUP,
        "free": prices.lookups_covered(selectors.count_free_left(account.pk)),
        "month": month,
        "used": account.budget_used if account.budget_month == month else 0,
        "entries": statements.list_entries(account_id=account.pk).select_related("key")[:LATEST],
        "cards": cards,
        "contact": settings.CONTACT,
        "topup_form": topup_form or TopUpForm(),
        "can_mail": result_mail.is_configured(),
        "budget_form": budget_form or BudgetForm(initial={"monthly_budget": account.monthly_budget}),
        **more,
    }
    response = render(request, "workspace/balance/balance.html", context, status=status)
    if cards:
        response["Content-Security-Policy"] = TO_CARD_PAGE
    return response


def _make(request: WorkspaceRequest, period: periods.Period) -> statements.Statement:
    return statements.make(account_id=request.member.account_id, since=period.since, until=period.until)
