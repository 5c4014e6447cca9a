"""GET /v1/lookup/status/{jobId}: how far a lookup is that is answered later."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from lookups import bodies
from lookups.api import errors, replies
from lookups.api.endpoint import Endpoint
from lookups.api.schema import describe
from lookups.jobs import lifecycle
from lookups.models import Job
from lookups.verdicts import Verdict


class JobView(Endpoint):
    """One job of the caller's account."""

    scope = "lookup"

    @describe.job_status
    def get(self, request: Request, job_id: str) -> Response:
        """How far the job is, and its result once it has one."""
        now, request_id = timezone.now(), request.request_id  # type: ignore[attr-defined]
        job = lifecycle.find(job_id, key=self.key_of(request), now=now)
        if job is None:
            raise errors.ApiError(404, "job_not_found", "Job not found")
        if job.status == Job.Status.COMPLETE:
            return Response(bodies.of_job(job, request_id))
        if job.status == Job.Status.FAILED:
            refused = job.lookup.outcome is Verdict.REFUSED  # as it would have been answered at once
            return Response(bodies.of_job(job, request_id), status=400 if refused else 500)
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
