// Which Pods need a new sidecar, and why, as a table. Whether and how they get one is decided per owner (owners.ts, verdict.ts).
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { conditionOf, isTrue } from '../../../../shared/core/objects/condition.ts'
import { isDeleting, type KubeObject, type OwnerReference } from '../../../../shared/core/objects/object.ts'
import type { RestartCause } from '../../reasons.ts'
import { type MetricsWish, showsMetricsElsewhere } from './metrics.ts'
import { ownProxy } from './own-proxy.ts'
import { hasOtherResources, type ProxyResources } from './proxy-resources.ts'
import { madeAt, secondsAt, settleSeconds } from './restart-times.ts'
import { controllerAmong } from './workloads.ts'

/** What sidecars should be like. */
export type SidecarWish = {
  readonly image: string
  readonly resources: ProxyResources
  readonly metrics: MetricsWish
  readonly hasCni: boolean
  /** In unix seconds. Pods made until then were made before fields of the Istio changed, and need new sidecars. */
  readonly fieldsChangedAt?: number
  /** In unix seconds. Pods made before then need no new sidecars after all: the change of fields that began then was taken back. */
  readonly fieldsChangedFrom?: number
  /** In unix seconds. Pods made until then were made before a mesh resource changed, and need new sidecars. */
  readonly resourceChangedAt?: number
}

/** The fields of a Pod that are kept in memory. */
export type SeenPod = KubeObject & {
  /** Who controls it; else the first of its ownerReferences. */
  readonly owner?: OwnerReference
  /** Absent: it needs no new sidecar. */
  readonly stale?: Stale
}

export type Stale = {
  readonly cause: RestartCause
  /** Since when the Pod is not ready, in unix seconds; absent: it is ready. */
  readonly unreadySince?: number
}

type Sidecar = { readonly pod: KubeObject; readonly annotations: JsonMap; readonly proxy: JsonMap | undefined }

type Row = { readonly cause: RestartCause; readonly when: (sidecar: Sidecar, wish: SidecarWish) => boolean }

/** The first row that applies is the cause that is reported. */
const rows: readonly Row[] = [
  { cause: 'image', when: hasOtherImage },
  { cause: 'resources', when: usesOtherResources },
  { cause: 'metrics', when: isLedElsewhere },
  { cause: 'cni', when: wasMadeForOtherCni },
  { cause: 'configuration', when: wasMadeWithOtherFields },
  { cause: 'meshResource', when: ({ pod }, wish) => wasMadeUntil(pod, wish.resourceChangedAt) },
]

/** The Pod, reduced to what decisions need. */
export const seenPod = (pod: KubeObject, stale: Stale | undefined): SeenPod => {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels, ownerReferences } = pod.metadata
  const module = labels?.[istioNames.labels.module]
  const owner = controllerAmong(ownerReferences) ?? ownerReferences?.[0]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid,
      creationTimestamp,
      ...(stale && { resourceVersion }),
      ...(module && { labels: { [istioNames.labels.module]: module } }),
    },
    ...(owner && { owner }),
    ...(stale && { stale }),
  }
}

/** Why a Pod needs a new sidecar; undefined: it does not, has none, or is not running. */
export const staleAgainst =
  (wish: SidecarWish) =>
  (pod: KubeObject): Stale | undefined => {
    const annotations = mapOrEmpty(pod.metadata.annotations)
    if (!isRunning(pod) || annotations['sidecar.istio.io/status'] === undefined) return undefined
    const sidecar = { pod, annotations, proxy: containerOf(pod, 'istio-proxy') }
    const cause = rows.find(({ when }) => when(sidecar, wish))?.cause
    return cause && { cause, ...unready(pod) }
  }

const isRunning = (pod: KubeObject): boolean => !isDeleting(pod) && mapOrEmpty(pod.status).phase === 'Running'

/** A Pod without condition Ready counts as unready since it was made. */
const unready = (pod: KubeObject): Pick<Stale, 'unreadySince'> => {
  const ready = conditionOf(pod, 'Ready')
  if (isTrue(ready)) return {}
  return { unreadySince: secondsAt(ready?.lastTransitionTime) ?? madeAt(pod) }
}

/**
 * A Pod that became unready a moment ago may just be starting. A time far in the future does not count: the Pod would be starting for ever.
 */
export const mayBeStarting = ({ unreadySince }: Stale, now: number): boolean =>
  unreadySince !== undefined && Math.abs(now - unreadySince) < settleSeconds

const containersOf = ({ spec }: KubeObject): JsonMap[] => {
  const { containers, initContainers } = mapOrEmpty(spec)
  return [...mapsIn(containers), ...mapsIn(initContainers)]
}

const containerOf = (pod: KubeObject, name: string): JsonMap | undefined =>
  containersOf(pod).find(container => container.name === name)

const hasInitContainer = ({ spec }: KubeObject, name: string): boolean =>
  mapsIn(mapOrEmpty(spec).initContainers).some(container => container.name === name)

/** Somebody chose the proxy's image for this Pod, and is responsible for its resources, too. */
const hasOwnImage = ({ annotations }: Sidecar): boolean =>
  annotations['sidecar.istio.io/proxyImage'] !== undefined || isText(ownProxy(annotations).image)

function hasOtherImage(sidecar: Sidecar, { image }: SidecarWish): boolean {
  const { proxy, annotations } = sidecar
  if (proxy === undefined || hasOwnImage(sidecar)) return false
  const type = annotations['sidecar.istio.io/proxyImageType']
  return isText(type) ? withoutType(proxy.image, type) !== withoutType(image, type) : proxy.image !== image
}

/** `proxyv2:1.30.2` of `proxyv2:1.30.2-debug`. */
const withoutType = (image: unknown, type: string): string => {
  const end = [type, 'distroless', 'debug'].map(name => `-${name}`).find(name => String(image).endsWith(name)) ?? ''
  return String(image).slice(0, String(image).length - end.length)
}

function usesOtherResources(sidecar: Sidecar, { resources }: SidecarWish): boolean {
  const { proxy, annotations } = sidecar
  if (proxy === undefined || hasOwnImage(sidecar) || !setsResources(annotations)) return false
  return hasOtherResources(proxy, annotations, resources) === true
}

/** The injector's templates that set resources. Template `gateway` does not: they are what the author of the workload wrote. */
const templatesWithResources = ['sidecar', 'grpc-agent']

const setsResources = ({ 'inject.istio.io/templates': templates }: JsonMap): boolean =>
  !isText(templates) || templates.split(',').some(name => templatesWithResources.includes(name.trim()))

function isLedElsewhere({ pod, annotations }: Sidecar, { metrics }: SidecarWish): boolean {
  return (metrics.isMerged || !isProxyAlone(pod)) && showsMetricsElsewhere(annotations, metrics)
}

/** A gateway's Pod. Its chart points Prometheus at the proxy, whether metrics are merged or not. */
const isProxyAlone = ({ spec }: KubeObject): boolean =>
  mapsIn(mapOrEmpty(spec).containers).every(({ name }) => name === 'istio-proxy')

function wasMadeForOtherCni({ pod }: Sidecar, { hasCni }: SidecarWish): boolean {
  return hasInitContainer(pod, hasCni ? 'istio-init' : 'istio-validation')
}

function wasMadeWithOtherFields({ pod }: Sidecar, { fieldsChangedAt, fieldsChangedFrom = 0 }: SidecarWish): boolean {
  return wasMadeUntil(pod, fieldsChangedAt) && madeAt(pod) >= fieldsChangedFrom
}

/** A Pod made in the same second counts as made before the change. */
const wasMadeUntil = (pod: KubeObject, changedAt: number | undefined): boolean =>
  changedAt !== undefined && madeAt(pod) <= changedAt

/** Pods of Kyma's own workloads, which are restarted before others. */
export const isOfKyma = ({ metadata: { namespace, labels } }: KubeObject): boolean =>
  namespace === istioNames.namespaces.control || isText(labels?.[istioNames.labels.module])
