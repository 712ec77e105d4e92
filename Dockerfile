# pushctl, with its simulator:  docker build -t pushctl .
# With arguments it is pushctl; without, a push inbox for the containers beside it: see packaging/docker/entrypoint.sh.
# The image holds the Debian package that scripts/package-check.sh installs and tries in a clean Debian.
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY . .
RUN scripts/package-deb.sh /packages

FROM debian:bookworm-slim
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates /packages/*.deb \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home pushctl \
    && install -d -o pushctl /credentials \
    && install -d -o pushctl /run/pushctl
COPY packaging/docker/entrypoint.sh /usr/local/bin/entrypoint
COPY packaging/docker/healthcheck.sh /usr/local/bin/healthcheck
USER pushctl
WORKDIR /home/pushctl
EXPOSE 2196 2197 8035
# A worker shows its links there: worker … --status-socket /run/pushctl/status.sock
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["healthcheck"]
ENTRYPOINT ["entrypoint"]
