# Builds the site with Node and serves it with nginx. Build from the root of the repository:
#
#   docker build -f deploy/site.Dockerfile --build-arg VITE_SITE_ORIGIN=https://www.example.com -t zyon-grand/site .
#
# Reproducible except for Debian's packages. See deploy/Dockerfile.

ARG NODE=24.21

FROM node:${NODE}-bookworm-slim AS build
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN --mount=type=cache,id=zyon-grand-npm,target=/root/.npm npm ci --no-audit --no-fund
COPY frontend ./
COPY art/dist /src/art/dist
# Settings of the build. See frontend/README.md. The key is public.
# With RELEASE_BUILD=1 the build fails while the site is not ready for the public.
ARG VITE_ANON_KEY
ARG VITE_SITE_ORIGIN
ARG VITE_PLAN_DOWNLOADS
ARG VITE_MAP_ADDRESS
ARG VITE_MAP_LOADING
ARG RELEASE_BUILD
RUN npm run build -- ${RELEASE_BUILD:+--release}

# Debian's nginx has a brotli module. The official image does not.
FROM debian:trixie-slim
# hadolint ignore=DL3008 # Debian removes old package versions, so a pinned version breaks the build after the next fix
RUN apt-get update \
 && apt-get install --yes --no-install-recommends nginx libnginx-mod-http-brotli-static gettext-base mtail \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/cache/ldconfig/aux-cache /var/log/*
COPY deploy/nginx/nginx.conf deploy/nginx/edge.mtail /etc/site/
COPY deploy/nginx/snippets /etc/site/snippets
COPY deploy/nginx/templates /etc/site/templates
COPY deploy/nginx/image /etc/site
COPY --from=build /src/frontend/dist /srv/site

ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="site" \
      org.opencontainers.image.description="The Zyon Grand website and the proxy for its API." \
      org.opencontainers.image.vendor="Zyon Grand" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/zyon-grand/zyon-grand" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# deploy/nginx/templates/site.conf.template describes these variables.
ENV SITE_ROOT=/srv/site \
    INTAKE_UPSTREAM="server lead-intake:9001 max_fails=0;" \
    REAL_IP_FROM="" \
    EDGE_LOG="access_log syslog:server=127.0.0.1:5514,nohostname,tag=edge edge;" \
    LEAD_RATE=10r/m \
    LEAD_BURST=20 \
    SESSION_RATE=60r/m \
    SESSION_BURST=60 \
    SECURITY_CONTACT=""
USER 65532:65532
EXPOSE 8080 3903
STOPSIGNAL SIGQUIT
HEALTHCHECK --interval=15s --timeout=3s --start-period=15s --start-interval=1s CMD ["/etc/site/healthcheck"]
ENTRYPOINT ["/etc/site/start"]
