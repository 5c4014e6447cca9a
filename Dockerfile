# The service as one image; web, worker and beat differ only in their command (see compose.yaml).

FROM python:3.11-slim-bookworm AS build
ENV VENV=/opt/venv PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY config/requirements/run.txt ./
# Every dependency ships as a wheel, so no compiler is needed; what does not match its hash is refused
RUN python -m venv "$VENV" \
    && "$VENV/bin/python" -m pip install --only-binary :all: --require-hashes --requirement run.txt

FROM python:3.11-slim-bookworm AS run
ENV VAR_DIR=/var/lib/sos-lookup \
    DJANGO_SETTINGS_MODULE=config.settings.prod \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PATH="/opt/venv/bin:$PATH"
WORKDIR /srv/sos-lookup
COPY --from=build /opt/venv /opt/venv
COPY manage.py pyproject.toml LICENSE ./
COPY config config
COPY jurisdictions jurisdictions
COPY scrapers scrapers
COPY billing billing
COPY lookups lookups
COPY templates templates
# The static files become part of the image. The key is for this step alone: production refuses to start without its own.
RUN SECRET_KEY=only-while-collecting-static-files DJANGO_SETTINGS_MODULE=config.settings.dev \
    python manage.py collectstatic --no-input \
    && chown -R 10001:10001 "$VAR_DIR"
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=8s --start-period=30s --retries=3 CMD ["python", "-m", "config.probe"]
CMD ["python", "-m", "config.launch", "web", "--host", "0.0.0.0", "--port", "8000"]
