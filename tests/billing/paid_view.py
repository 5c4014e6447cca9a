"""The smallest view that sells something by the request: what the lookup's view does, without the lookup."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from billing import prices
from billing.challenge import PaymentProblem
from billing.payments import checkout


@csrf_exempt
def lookup(request: HttpRequest) -> HttpResponse:
    """Sell one answer; an entity named "Nobody" is not found, and free."""
    now = timezone.now()
    purchase = checkout.Purchase(
        "lookup", prices.LOOKUP, f"POST {request.path}", request.body, "Business entity lookup"
    )
    try:
        credential = checkout.find_credential(request.headers)
        if credential is None:
            return told(checkout.demand(purchase, now=now))
        payment = checkout.accept(purchase, credential=credential, now=now)
        if json.loads(request.body)["entity_name"] == "Nobody":
            checkout.abandon(payment, reason="not_found", now=now)
            return JsonResponse({"error": "Entity not found", "cost": 0}, status=404)
        receipt = checkout.settle(payment, now=now)
        checkout.deliver(payment, now=now)
    except PaymentProblem as problem:
        return told(checkout.demand(purchase, now=now, problem=problem))
    return JsonResponse({"success": True}, headers={"Payment-Receipt": receipt, "Cache-Control": "private"})


def told(demand: checkout.Demand) -> HttpResponse:
    text = json.dumps(demand.body)
    return HttpResponse(text, status=demand.status, headers=demand.headers, content_type=demand.content_type)


urlpatterns = [path("paid/lookup", lookup)]
