"""GET /v1/lookup/status/{jobId}: how far a lookup is that is answered later."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from lookups import bodies
from lookups.api import errors, replies
from lookups.api.endpoint import Endpoint
from lookups.api.schema import lookups as describe
from lookups.jobs import lifecycle
from lookups.models import Job
from lookups.verdicts import Verdict


class JobView(Endpoint):
    """One job of the caller's account."""

    scope = "lookup"
    polled = True

    @describe.job_status
    def get(self, request: Request, jobId: str) -> Response:
        """How far the job is, and its result once it has one."""
        now, request_id = timezone.now(), request.request_id  # type: ignore[attr-defined]
        job = lifecycle.find(jobId, key=self.key_of(request), now=now)
        if job is None:
            raise errors.ApiError(404, "job_not_found", "Job not found")
        if job.status == Job.Status.COMPLETE:
            return Response(bodies.of_job(job, request_id))
        if job.status == Job.Status.FAILED:
            refused = job.lookup.outcome is Verdict.REFUSED  # as it would have been answered at once
            return Response(bodies.of_job(job, request_id), status=400 if refused else 500)
        return Response(bodies.of_running_job(job, now=now), headers={"Retry-After": replies.poll_seconds(job)})
