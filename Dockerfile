# One small image for web, worker and migration: the locked dependencies, the code, no compiler, not root.
FROM python:3.13-slim AS build
WORKDIR /app
COPY requirements.lock ./
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock
COPY pyproject.toml README.md ./
COPY app app
RUN /venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation -e .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --no-create-home rackrate && install -d -o rackrate /app/var
WORKDIR /app
COPY --from=build /venv /venv
COPY --from=build /app /app
COPY alembic.ini ./
COPY migrations migrations
COPY templates templates
COPY static static
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 RACKRATE_HOST=0.0.0.0 RACKRATE_LOG_JSON=true
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD \
    ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/api/v1/health', timeout=2)"]
ENTRYPOINT ["rackrate"]
CMD ["serve"]
