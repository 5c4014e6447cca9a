"""POST /v1/account/topup: buy credit, on the card provider's page or by an agent's payment challenge.

The key says whose balance grows. A card page is for people: the reply names its address. An agent asks for a
challenge (`payBy: challenge`) and sends its payment beside the key, so the key belongs into `x-api-key` here.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from billing import money, prices, selectors, topups
from billing.challenge import PaymentProblem
from billing.models import Account
from billing.payments import checkout
from billing.payments.stripe import CardsNotConfigured
from lookups.api import errors, idempotency, parsers
from lookups.api.endpoint import Endpoint
from lookups.api.pay_per_request import render_demand
from lookups.api.requests.serializers import TopUpRequest, read
from lookups.api.schema.account import top_up
from lookups.api.wire.account import TopUpReply
from lookups.api.wire.words import TopUpStatus

DESCRIPTION = "Prepaid balance"
NO_CARDS = "Cards are not configured on this installation; credit is granted by its staff"
NO_CHALLENGE = "Top-ups by challenge are not configured on this installation"


class TopUpView(Endpoint):
    """Credit for the key's account."""

    scope = "account"

    @top_up
    def post(self, request: Request) -> Any:
        """Start a top-up, or take the payment that came along."""
        body = parsers.raw_body(request)
        amount, by_challenge = _read(request)
        key = self.key_of(request)
        if key.is_test:
            raise errors.forbidden("A test key moves no money; use a live key")
        purchase = checkout.Purchase("topup", amount, f"POST {request.path}", body, DESCRIPTION)
        try:
            credential = checkout.find_credential(request.headers)
            if credential is None and not by_challenge:
                return _on_a_page(key.account, amount)
            if not checkout.is_open("topup", secure=request.is_secure()):
                raise errors.payment_unavailable(NO_CHALLENGE, retryable=False)
            if credential is None:
                return render_demand(request, checkout.demand(purchase, now=timezone.now()))
            return _at_once(request, purchase, credential, key.account)
        except PaymentProblem as problem:
            return render_demand(request, checkout.demand(purchase, now=timezone.now(), problem=problem))


def _read(request: Request) -> tuple[int, bool]:
    """Units to buy, and whether a challenge is asked for; ApiError 400."""
    asked = read(TopUpRequest, request.data)
    try:
        topups.to_cents(asked["amount"])
    except topups.AmountOutOfRange as wrong:
        raise errors.invalid({"amount": [str(wrong)]}) from None
    return asked["amount"], asked.get("payBy") == "challenge"


def _on_a_page(account: Account, amount: int) -> Response:
    try:
        _, address = topups.start(
            account=account,
            amount=amount,
            success_url=f"{settings.PUBLIC_URL}/topup/done/",
            cancel_url=f"{settings.PUBLIC_URL}/topup/cancelled/",
            now=timezone.now(),
        )
    except CardsNotConfigured:
        raise errors.payment_unavailable(NO_CARDS, retryable=False) from None
    except topups.ProviderUnavailable as away:
        raise errors.payment_unavailable(str(away).rstrip("."), retryable=True) from None
    return Response(_body(account, amount, status=TopUpStatus.CREATED, address=address))


def _at_once(request: Request, purchase: checkout.Purchase, credential: str, account: Account) -> Response:
    word, now = idempotency.read_word(request), timezone.now()
    payment = checkout.accept(purchase, credential=credential, now=now, account=account, word=word)
    receipt = checkout.settle(payment, now=timezone.now(), request_id=request.request_id)  # type: ignore[attr-defined]
    headers = {"Payment-Receipt": receipt, "Cache-Control": "private"}
    return Response(_body(account, purchase.amount, status=TopUpStatus.PAID, address=None), headers=headers)


def _body(account: Account, amount: int, *, status: TopUpStatus, address: str | None) -> TopUpReply:
    available = selectors.get_balance(account.pk).spendable
    return TopUpReply(
        success=True,
        livemode=True,
        status=status,
        amount=money.to_json_number(amount),
        amountStored=amount,
        lookups=prices.lookups_covered(amount),
        checkoutUrl=address,
        balanceStored=available,
        lookupsRemaining=prices.lookups_covered(available),
    )
