# The service as one image; web, worker, bulk and beat differ only in their command (see compose.yaml). `make image` builds it.

# With a digest (python:3.11-slim-bookworm@sha256:…) every build begins with the same bytes: docs/runbook.md says how
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV VENV=/opt/venv PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
# run, or reporting (the libraries of SENTRY_DSN and OTEL_EXPORTER_OTLP_ENDPOINT, 10 MB more), or s3 (that of
# EVIDENCE_STORE=s3://, 30 MB more)
ARG REQUIREMENTS=run
COPY config/requirements/run.txt config/requirements/reporting.txt config/requirements/s3.txt ./
# Every dependency ships as a wheel, so no compiler is needed; what does not match its hash is refused. pip itself stays
# here, with what the service never opens: others' tests, compilers' files, translations (USE_I18N is off), and parts of
# libraries that nothing of ours imports, 30 MB of them: other databases and brokers, what draws other pictures than PNG, colors
# other languages than those of our examples, or is there a second time for newer processors, which compare two names no faster.
RUN python -m venv --without-pip "$VENV" \
    && python -m pip --python "$VENV/bin/python" install --no-compile --only-binary :all: \
        --no-deps --require-hashes --requirement "$REQUIREMENTS.txt" \
    && find "$VENV" \( -name '*.po' -o -name '*.mo' -o -name '*.pyi' -o -name '*.h' -o -name '*.px[di]' -o -name '*.pyx' \) -delete \
    && find "$VENV" -depth -type d \( -name tests -o -name SelfTest -o -name benchmarks -o -path '*/stripe/params' \
        -o -path '*/Crypto/PublicKey' -o -path '*/lxml/includes' -o -path '*/lxml/isoschematron' \) -exec rm -r {} + \
    && find "$VENV" -path '*/lxml/objectify*' -delete \
    && find "$VENV" \( -path '*/PIL/_avif*' -o -path '*/PIL/_webp*' -o -path '*/PIL/_imagingcms*' -o -path '*/PIL/_imagingtk*' \
        -o -path '*/pillow.libs/libavif*' -o -path '*/pillow.libs/libwebp*' -o -path '*/pillow.libs/libsharpyuv*' \
        -o -path '*/pillow.libs/liblcms2*' -o -path '*/rapidfuzz/*_avx2*' -o -path '*/wcwidth/_wcwidth_c*' \
        -o -path '*/wcwidth/table_grapheme_overrides/_known_*' \
        -o -path '*.dist-info/RECORD' -o -path '*.dist-info/sboms/*' \) -delete \
    && find "$VENV" -path '*/PIL/*.py' \( -name '*Plugin.py' ! -name 'Png*' -o -name 'ImageCms*' -o -name 'ImageO*' -o -name 'ImageQt*' \
        -o -name 'ImageTk*' -o -name 'ImageWin*' -o -name 'ImageGrab*' -o -name 'P[dS]*' -o -name '*FontFile*' \) -delete \
    && find "$VENV" -path '*/kombu/transport/*' \( -name 'S*.py' -o -name 'azure*' -o -name 'con*' -o -name 'etcd*' -o -name 'gc*' \
        -o -name 'mongo*' -o -name 'qpid*' -o -name 'zoo*' \) -delete \
    && find "$VENV" -path '*/celery/backends/*' \( -name 'arango*' -o -name 'azure*' -o -name 'cass*' -o -name 'co*' -o -name 'dynamo*' \
        -o -name 'elastic*' -o -name 'gcs*' -o -name 'mongo*' -o -name 's3*' \) -delete \
    && find "$VENV" -path '*/Crypto/Hash/*' ! -name __init__.py ! -name '*keccak*' -delete \
    && find "$VENV" -path '*/pygments/lexers/*.py' ! -name __init__.py ! -name _mapping.py ! -name python.py ! -name shell.py \
        ! -name javascript.py ! -name data.py ! -name special.py -delete \
    && find "$VENV" -depth -type d \( -path '*/django/contrib/gis' -o -path '*/Crypto/Cipher' -o -path '*/Crypto/Math' \
        -o -path '*/stripe/events' -o -path '*/django/db/backends/oracle' -o -path '*/django/db/backends/mysql' \
        -o -path '*/kombu/transport/sqlalchemy' -o -path '*/celery/backends/database' -o -path '*/Crypto/Protocol' -o -path '*/Crypto/Signature' \
        -o -path '*/allauth/headless' -o -path '*/allauth/idp' \
        -o -path '*/allauth/socialaccount/providers/*' \) -exec rm -r {} +
WORKDIR /srv/sos-lookup
COPY manage.py pyproject.toml LICENSE CHANGELOG.md ./
COPY config config
COPY jurisdictions jurisdictions
COPY scrapers scrapers
COPY billing billing
COPY lookups lookups
COPY templates templates
COPY docs docs
# The static files become part of the image, once; so does the bytecode of what the service imports, since it cannot write
# there. The key is for this step alone: production refuses to start without its own.
RUN export VAR_DIR=/build STATIC_ROOT=/srv/static \
        SECRET_KEY=only-while-collecting-static-files DJANGO_SETTINGS_MODULE=config.settings.dev \
    && "$VENV/bin/python" manage.py collectstatic --no-input --ignore '*.map' --ignore redoc --ignore rest_framework \
        --ignore jquery.js --ignore xregexp.js --ignore select2.full.js \
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
# The only folders that the service writes to, beside /tmp. The first is open as that is: a tmpfs in its place is root's,
# and gets the same mode, whatever else it was told (runc before 1.2). A new volume in place of either gets its owner.
RUN install --directory --owner=10001 --group=10001 --mode=1777 "$VAR_DIR" \
    && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/sos-evidence
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=8s --start-period=30s --retries=3 CMD ["python", "-m", "config.probe"]
CMD ["python", "-m", "config.launch", "web", "--host", "0.0.0.0", "--port", "8000"]
