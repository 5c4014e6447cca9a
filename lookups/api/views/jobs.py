"""GET /v1/lookup/status/{jobId}: how far a lookup is that is answered later."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from lookups.api import errors, replies
from lookups.api.endpoint import Endpoint
from lookups.api.schema import describe
from lookups.models import Job
from lookups.services import jobs


class JobView(Endpoint):
    """One job of the caller's account."""

    scope = "lookup"

    @describe.job_status
    def get(self, request: Request, job_id: str) -> Response:
        """How far the job is, and its result once it has one."""
        now = timezone.now()
        job = jobs.find(job_id, account_id=self.key_of(request).account_id, now=now)
        if job is None:
            raise errors.ApiError(404, "job_not_found", "Job not found")
        if job.status == Job.Status.COMPLETE:
            return Response(complete(job))
        if job.status == Job.Status.FAILED:
            return Response(failed(job, request.request_id), status=500)  # type: ignore[attr-defined]
        return Response(running(job, now), headers={"Retry-After": str(replies.POLL_MS // 1000)})


def running(job: Job, now: datetime) -> dict[str, Any]:
    """The body while nobody has answered yet; the estimate shrinks, and never says zero."""
    gone = int((now - job.created_at).total_seconds())
    return {
        "success": True,
        "jobId": job.public_id,
        "status": job.status,
        "pollInterval": replies.POLL_MS,
        "estimatedSeconds": max(1, job.estimated_seconds - gone),
    }


def complete(job: Job) -> dict[str, Any]:
    """The body of a job that was answered: the reply under `result`, and at the top where older clients read it."""
    result: dict[str, Any] = job.reply or {}
    told = {"success": result["success"], "jobId": job.public_id, "status": job.status, "result": result}
    if not result["success"]:
        return told | {"error": result["error"], "data": None, "cost": 0}
    return told | {"data": result["data"], "cost": result["cost"]}


def failed(job: Job, request_id: str) -> dict[str, Any]:
    """The body of a job that nobody could answer; it cost nothing."""
    reason: dict[str, Any] = job.reply or {}
    return {
        "success": False,
        "jobId": job.public_id,
        "status": job.status,
        "error": reason.get("error", "Internal error"),
        "code": reason.get("code", "internal_error"),
        "reason": reason.get("reason"),
        "cost": 0,
        "retryable": bool(reason.get("retryable", True)),
        "requestId": request_id,
    }
