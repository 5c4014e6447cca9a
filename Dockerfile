# The service as one image; web, worker, bulk and beat differ only in their command (see compose.yaml). `make image` builds it.

# With a digest (python:3.11-slim-bookworm@sha256:…) every build begins with the same bytes: docs/runbook.md says how
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV VENV=/opt/venv PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
# run, or reporting: with the libraries of SENTRY_DSN and OTEL_EXPORTER_OTLP_ENDPOINT, 10 MB more
ARG REQUIREMENTS=run
COPY config/requirements/run.txt config/requirements/reporting.txt ./
# Every dependency ships as a wheel, so no compiler is needed; what does not match its hash is refused. pip itself stays
# here, with what the service never opens: others' tests, compilers' files, and translations (USE_I18N is off).
RUN python -m venv --without-pip "$VENV" \
    && python -m pip --python "$VENV/bin/python" install --no-compile --only-binary :all: \
        --require-hashes --requirement "$REQUIREMENTS.txt" \
    && find "$VENV" \( -name '*.po' -o -name '*.mo' -o -name '*.pyi' -o -name '*.h' -o -name '*.px[di]' -o -name '*.pyx' \) -delete \
    && find "$VENV" -depth -type d \( -name tests -o -name SelfTest -o -name benchmarks \) -exec rm -r {} +
WORKDIR /srv/sos-lookup
COPY manage.py pyproject.toml LICENSE ./
COPY config config
COPY jurisdictions jurisdictions
COPY scrapers scrapers
COPY billing billing
COPY lookups lookups
COPY templates templates
# The static files become part of the image, once; so does the bytecode of what the service imports, since it cannot write
# there. The key is for this step alone: production refuses to start without its own.
RUN export VAR_DIR=/build STATIC_ROOT=/srv/static \
        SECRET_KEY=only-while-collecting-static-files DJANGO_SETTINGS_MODULE=config.settings.dev \
    && "$VENV/bin/python" manage.py collectstatic --no-input --ignore '*.map' --ignore redoc \
    && "$VENV/bin/python" manage.py check \
    && find "$VENV" -depth -type d -name static ! -execdir test -e '{}/__init__.py' \; -exec rm -r {} +

FROM ${PYTHON_IMAGE} AS run
ENV VAR_DIR=/var/lib/sos-lookup \
    STATIC_ROOT=/srv/static \
    DJANGO_SETTINGS_MODULE=config.settings.prod \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PATH="/opt/venv/bin:$PATH"
WORKDIR /srv/sos-lookup
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv /srv
# The only folder that the service writes to, beside /tmp, and open as that is: a tmpfs in its place is root's, and gets
# the same mode, whatever else it was told (runc before 1.2)
RUN install --directory --owner=10001 --group=10001 --mode=1777 "$VAR_DIR"
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=8s --start-period=30s --retries=3 CMD ["python", "-m", "config.probe"]
CMD ["python", "-m", "config.launch", "web", "--host", "0.0.0.0", "--port", "8000"]
