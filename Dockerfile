# The image of host and relay: Node and the programs that `npm run build` makes, nothing else. Which of the two a container
# runs is its first argument, as in manifests/deploy.
FROM node:24-trixie-slim AS build
WORKDIR /espalier
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM gcr.io/distroless/nodejs24-debian13:nonroot
WORKDIR /espalier
COPY --from=build /espalier/LICENSE ./
COPY --from=build /espalier/dist dist
USER 65532:65532
CMD ["--max-semi-space-size=8", "--liftoff-only", "--heap-growing-percent=50", "dist/host.mjs"]
