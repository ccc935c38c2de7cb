# The image of host, relay and runtime-watcher: Node and the programs that `npm run build` makes, nothing else. Which of them a
# container runs is its first argument, as in manifests/deploy.
#
# Tags move. Whoever builds for others pins both bases, with the digests that `docker buildx imagetools inspect IMAGE` tells:
#   docker build --build-arg BUILD_IMAGE=node:24-trixie-slim@sha256:… --build-arg BASE_IMAGE=gcr.io/distroless/…@sha256:… .
ARG BUILD_IMAGE=node:24-trixie-slim
ARG BASE_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /espalier
COPY package.json package-lock.json .npmrc ./
# No package that is used here needs its install script: binaries of esbuild and Node are packages of their own.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# Files that come along keep their mode, which is that of the checkout: everybody may read them, and two checkouts make one image.
RUN npm run build && chmod -R u=rwX,go=rX LICENSE dist

FROM ${BASE_IMAGE}
# The labels version, revision and created change with every commit: whoever builds gives them with --label.
LABEL org.opencontainers.image.title=espalier \
  org.opencontainers.image.description="Kubernetes platform controllers as stateless serverless functions" \
  org.opencontainers.image.licenses=Apache-2.0
WORKDIR /espalier
COPY --from=build /espalier/LICENSE ./
COPY --from=build /espalier/dist dist
USER 65532:65532
CMD ["--max-semi-space-size=8", "dist/host.mjs"]
