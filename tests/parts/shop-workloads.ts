// Workloads of a user whose sidecars istiod makes in all the ways that Pods can ask for, and what tests want to know of their Pods.
import { type JsonMap, mapOrEmpty, mapsIn } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'

/** Their Namespace. */
export const shop = 'shop'

type Row = {
  /** Annotations of its Pods. */
  readonly says?: Readonly<Record<string, string>>
  /** A container istio-proxy of their own. */
  readonly proxy?: JsonMap
}

const rows: Readonly<Record<string, Row>> = {
  plain: {},
  native: { says: { 'sidecar.istio.io/nativeSidecar': 'true' } },
  image: { says: { 'sidecar.istio.io/proxyImage': 'example.com/proxy:1' } },
  'image-type': { says: { 'sidecar.istio.io/proxyImageType': 'debug' } },
  limit: { says: { 'sidecar.istio.io/proxyCPULimit': '200m' } },
  gateway: { says: { 'inject.istio.io/templates': 'gateway' } },
  agent: { says: { 'inject.istio.io/templates': 'grpc-agent' } },
  'not-scraped': { says: { 'prometheus.io/scrape': 'False' } },
  'scraped-at': { says: { 'prometheus.io/port': '15020' } },
  merged: { says: { 'prometheus.istio.io/merge-metrics': 'true' } },
  'not-merged': { says: { 'prometheus.istio.io/merge-metrics': '0' } },
  'own-proxy': { proxy: { name: 'istio-proxy', image: 'auto', resources: { limits: { cpu: '700m' } } } },
  'own-image': { proxy: { name: 'istio-proxy', image: 'example.com/proxy:1' } },
  without: { says: { 'sidecar.istio.io/inject': 'false' } },
}

const deployment = ([name, { says = {}, proxy }]: [string, Row]): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: shop },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, annotations: says },
      spec: {
        containers: [{ name: 'app', image: 'example.com/app:1' }, ...(proxy ? [proxy] : [])],
        terminationGracePeriodSeconds: 0,
      },
    },
  },
})

/** By name. */
export const shopWorkloads: Readonly<Record<string, KubeObject>> = Object.fromEntries(
  Object.entries(rows).map(row => [row[0], deployment(row)]),
)

/** Init containers, too. */
export const containersOf = ({ spec }: KubeObject): JsonMap[] =>
  ['containers', 'initContainers'].flatMap(list => mapsIn(mapOrEmpty(spec)[list]))
/** Without fields where there is none. */
export const proxyOf = (pod: KubeObject): JsonMap => containersOf(pod).find(({ name }) => name === 'istio-proxy') ?? {}

export const isInjected = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['sidecar.istio.io/status'] !== undefined
/** Nothing but a proxy: it keeps it when the mesh goes. */
export const isGateway = ({ metadata }: KubeObject): boolean => metadata.labels?.app === 'gateway'
