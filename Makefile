# The same words for people who type make; ./run does the work.
.PHONY: serve test setup lock messages
serve test setup:
	./run $@

# Locks with hashes and without addresses; needs uv.
LOCK = uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 --extra build
lock:
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) --extra dev pyproject.toml -o requirements-dev.lock

# Catalogs of the other languages: new texts empty, gone ones removed.
messages:
	.venv/bin/python -m tools.messages
