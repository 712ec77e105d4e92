# pushctl, with its simulator:  docker build -t pushctl .
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
    && install -d -o pushctl /credentials
USER pushctl
WORKDIR /home/pushctl
ENTRYPOINT ["pushctl"]
