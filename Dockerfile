# The project with its environment, ready to run.
#
#   docker build --tag dpsampling .
#   docker run --rm --volume dpsampling-results:/dpsampling/results dpsampling                 (make quick)
#   docker run --rm --volume dpsampling-results:/dpsampling/results dpsampling make reproduce
#   docker build --target smoke .                                   (a whole quick run, verified, while it is built)

# The digest of the index of python:3.11.16-slim-bookworm, for every architecture that it has.
FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b AS ready

# Of these two any version will do; the packages that decide results are in requirements.lock, with hashes.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --home-dir /dpsampling --uid 1000 reader

WORKDIR /dpsampling
USER 1000
COPY --chown=reader:reader . .
RUN make setup PYTHON=python3 && mkdir -p results

FROM ready AS smoke
RUN make quick CORES=2 && make verify RESULTS=results/quick

FROM ready
CMD ["make", "quick"]
