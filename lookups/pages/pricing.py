"""Prices and how to pay, for people: a plain form that leads to the card provider's page, and where it comes back to.

There is no account area yet, so the form asks for a key: it says whose balance grows. Nobody can be made to pay by a
forged form (the provider's page asks the person), and a key is never kept, shown again or logged.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from billing import keys, money, networks, prices, topups
from billing.models import ApiKey
from billing.payments import checkout
from lookups import client_address
from lookups.pages import views

# A browser follows the form's answer to the card provider only where form-action allows it; the provider's page may
# be on a host name of the operator's own.
POLICY = views.POLICY.replace("form-action 'self'", "form-action 'self' https:")
EXAMPLE = money.from_dollars("3.14")


class TopUpForm(forms.Form):
    """Whose balance, and how much."""

    key = forms.CharField(
        label="API key",
        max_length=keys.LONGEST_SECRET,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false", "placeholder": "osd_…"}),
        help_text="A live key of the account that is topped up. It is used for this and not kept.",
    )
    amount = forms.DecimalField(
        label="Amount in USD",
        decimal_places=2,
        max_digits=8,
        localize=False,
        help_text="From 0.50 to 10,000.00.",
        initial="31.40",
    )

    def __init__(self, *args: Any, address: networks.Address | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self.address = address

    def clean(self) -> None:
        """Find the key's account; the amount must be one that is sold."""
        data = self.cleaned_data
        if "amount" in data:
            try:
                data["units"] = money.from_dollars(data["amount"])
                topups.to_cents(data["units"])
            except ValueError:
                self.add_error("amount", "From 0.50 to 10,000 USD, in whole cents.")
        if "key" in data:
            data["account"] = self._account(data["key"])

    def _account(self, secret: str) -> object:
        try:
            key = keys.verify(secret=secret, now=timezone.now(), address=self.address)
        except keys.WrongNetwork:
            self.add_error("key", "This key may not be used from your address.")
            return None
        except keys.InvalidKey:
            self.add_error("key", "This key opens nothing.")
            return None
        if key.mode != ApiKey.Mode.LIVE or not key.allows("account"):
            self.add_error("key", "A live key with the right to its account is needed.")
        return key.account


@require_http_methods(["GET", "HEAD", "POST"])
def pricing(request: HttpRequest) -> HttpResponse:
    """What a lookup costs and how it is paid; a POST starts a top-up and leads to the card provider's page."""
    if not topups.are_cards_configured():
        return _show(request, None, status=503 if request.method == "POST" else 200)
    if request.method != "POST":
        return _show(request, TopUpForm())
    form = TopUpForm(request.POST, address=client_address.find(request))
    rate = client_address.count(request, now=timezone.now())
    if not rate.allowed:
        form.add_error(None, "Too many tries from your network in this minute. Please wait a little.")
        response = _show(request, form, status=429)
        response["Retry-After"] = str(rate.retry_after)
        return response
    if not form.is_valid():
        return _show(request, form, status=400)
    try:
        _, address = topups.start(
            account=form.cleaned_data["account"],
            amount=form.cleaned_data["units"],
            success_url=f"{settings.PUBLIC_URL}/topup/done/",
            cancel_url=f"{settings.PUBLIC_URL}/topup/cancelled/",
            now=timezone.now(),
        )
    except topups.ProviderUnavailable as away:
        form.add_error(None, str(away))
        return _show(request, form, status=503)
    return _send(address)


@require_safe
@cache_control(public=True, max_age=300)
def done(request: HttpRequest) -> HttpResponse:
    """Where the provider sends people who paid; the balance grows when the provider tells us, not here."""
    return _message_page(
        request,
        "Thank you",
        "Your payment is on its way. The balance grows as soon as the card provider confirms it, usually within a "
        "minute; GET /v1/account/balance shows it. Some ways to pay take a few days to confirm.",
    )


@require_safe
@cache_control(public=True, max_age=300)
def cancelled(request: HttpRequest) -> HttpResponse:
    """Where the provider sends people who changed their mind."""
    return _message_page(
        request, "Nothing was paid", "You left the card page before paying. Your balance is as it was."
    )


def _show(request: HttpRequest, form: TopUpForm | None, *, status: int = 200) -> HttpResponse:
    content = {
        "form": form,
        "price": money.to_decimal_string(prices.LOOKUP),
        "example": (prices.display(EXAMPLE), prices.lookups_covered(EXAMPLE)),
        "free": settings.FREE_LOOKUPS,
        "contact": settings.CONTACT,
        "offers": checkout.list_offers("lookup", prices.LOOKUP),
        "by_challenge": checkout.is_open("topup", secure=request.is_secure()),
    }
    response = render(request, "pages/pricing.html", content, status=status)
    response["Content-Security-Policy"] = POLICY
    response["Cache-Control"] = "no-store" if form is not None else "public, max-age=300"
    return response


def _send(address: str) -> HttpResponse:
    response = HttpResponseRedirect(address)
    response.status_code = 303  # what follows is a GET
    response["Cache-Control"] = "no-store"
    return response


def _message_page(request: HttpRequest, title: str, text: str) -> HttpResponse:
    return render(request, "pages/topup.html", {"title": title, "text": text})
