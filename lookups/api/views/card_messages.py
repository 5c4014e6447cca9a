"""POST /webhooks/stripe: the card provider tells what became of a payment, signed, as often as it likes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from billing import topups
from billing.payments.stripe import CardsNotConfigured


@csrf_exempt  # a program sends it; its signature over the raw bytes is the proof
@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    """200 for everything the provider signed, seen before or of no interest; 400 for what it did not sign."""
    signature = request.headers.get("Stripe-Signature", "")
    try:
        outcome = topups.receive(payload=request.body, signature=signature, now=timezone.now())
    except topups.BadSignature:
        return JsonResponse({"error": "The signature does not fit."}, status=400)
    except CardsNotConfigured:
        return JsonResponse({"error": "Cards are not configured."}, status=404)
    return JsonResponse({"outcome": outcome})
