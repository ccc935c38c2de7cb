// A table of reasons why Pods need new sidecars. Owner and verdict determine whether and how a Pod gets a new sidecar (pod-owners.ts,
// pod-survey.ts).
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { conditionOf, isTrue } from '../../../../shared/core/objects/condition.ts'
import { isDeleting, type KubeObject, type OwnerReference } from '../../../../shared/core/objects/object.ts'
import { quantityAmount } from '../../../../shared/core/objects/quantity.ts'
import type { RestartCause } from '../../reasons.ts'
import { controllerAmong } from './pod-owners.ts'
import { madeAt, secondsAt, settleSeconds } from './restart-notes.ts'

export type DesiredSidecar = {
  readonly image: string
  readonly resources: ProxyResources
  readonly metrics: {
    /** The proxy merges the application's metrics with its own metrics, unless a Pod overrides this. */
    readonly isMerged: boolean
    readonly port: string
  }
  readonly hasCni: boolean
}

/** Pods created between these times (unix seconds) have other fields and need new sidecars. */
export type FieldsChange = { readonly from: number; readonly until: number }

/** The part of a Pod that is kept in memory. */
export type SeenPod = KubeObject & {
  /** The controller, otherwise the first ownerReference. */
  readonly owner?: OwnerReference
  /** Absent: the Pod needs no new sidecar. */
  readonly stale?: Stale
}

export type Stale = {
  readonly cause: RestartCause
  /** Since when the Pod has been unready (unix seconds). Absent: the Pod is ready. */
  readonly unreadySince?: number
}

type Sidecar = { readonly pod: KubeObject; readonly annotations: JsonMap; readonly proxy: JsonMap | undefined }

type Row = { readonly cause: RestartCause; readonly when: (sidecar: Sidecar, desired: DesiredSidecar) => boolean }

/** Reasons in order. The first matching row is reported. */
const rows: readonly Row[] = [
  { cause: 'image', when: hasOtherImage },
  { cause: 'resources', when: usesOtherResources },
  { cause: 'metrics', when: isScrapedElsewhere },
  { cause: 'cni', when: wasMadeForOtherCni },
]

export const seenPod = (pod: KubeObject, stale: Stale | undefined): SeenPod => {
  const { name, namespace, uid, resourceVersion, creationTimestamp, ownerReferences } = pod.metadata
  const owner = controllerAmong(ownerReferences) ?? ownerReferences?.[0]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid, creationTimestamp, ...(stale && { resourceVersion }) },
    ...(owner && { owner }),
    ...(stale && { stale }),
  }
}

/** Why a Pod needs a new sidecar. undefined: the Pod needs no new sidecar, has no sidecar, or is not running. */
export const staleAgainst =
  (desired: DesiredSidecar, change?: FieldsChange) =>
  (pod: KubeObject): Stale | undefined => {
    const annotations = mapOrEmpty(pod.metadata.annotations)
    const isRunning = !isDeleting(pod) && mapOrEmpty(pod.status).phase === 'Running'
    if (!isRunning || annotations['sidecar.istio.io/status'] === undefined) return undefined
    const sidecar = { pod, annotations, proxy: proxyIn(pod.spec) }
    const isOld = change !== undefined && madeAt(pod) >= change.from && madeAt(pod) <= change.until
    const cause = rows.find(({ when }) => when(sidecar, desired))?.cause ?? (isOld ? 'configuration' : undefined)
    return cause && { cause, ...unready(pod) }
  }

/** Without condition Ready, a Pod counts as unready since its creation. */
const unready = (pod: KubeObject): Pick<Stale, 'unreadySince'> => {
  const ready = conditionOf(pod, 'Ready')
  if (isTrue(ready)) return {}
  return { unreadySince: secondsAt(ready?.lastTransitionTime) ?? madeAt(pod) }
}

/** A Pod that became unready recently may be starting. A time far in the future does not count as recent. */
export const mayBeStarting = ({ unreadySince }: Stale, now: number): boolean =>
  unreadySince !== undefined && Math.abs(now - unreadySince) < settleSeconds

const proxyIn = (spec: unknown): JsonMap | undefined => {
  const { containers, initContainers } = mapOrEmpty(spec)
  return [...mapsIn(containers), ...mapsIn(initContainers)].find(({ name }) => name === 'istio-proxy')
}

/** The Pod's author chose the proxy's image, and is also responsible for its resources. */
const hasOwnImage = ({ annotations }: Sidecar): boolean =>
  annotations['sidecar.istio.io/proxyImage'] !== undefined || isText(ownProxy(annotations).image)

function hasOtherImage(sidecar: Sidecar, { image }: DesiredSidecar): boolean {
  const { proxy, annotations } = sidecar
  if (proxy === undefined || hasOwnImage(sidecar)) return false
  const type = annotations['sidecar.istio.io/proxyImageType']
  return isText(type) ? withoutType(proxy.image, type) !== withoutType(image, type) : proxy.image !== image
}

/** Turns `proxyv2:1.30.2-debug` into `proxyv2:1.30.2`. */
const withoutType = (image: unknown, type: string): string => {
  const end = [type, 'distroless', 'debug'].map(name => `-${name}`).find(name => String(image).endsWith(name)) ?? ''
  return String(image).slice(0, String(image).length - end.length)
}

function usesOtherResources(sidecar: Sidecar, { resources }: DesiredSidecar): boolean {
  const { proxy, annotations } = sidecar
  if (proxy === undefined || hasOwnImage(sidecar) || !setsResources(annotations)) return false
  return hasOtherResources(proxy, annotations, resources) === true
}

/** The injector's templates that set resources. With template `gateway`, resources come from the workload's author. */
const templatesWithResources = ['sidecar', 'grpc-agent']

const setsResources = ({ 'inject.istio.io/templates': templates }: JsonMap): boolean =>
  !isText(templates) || templates.split(',').some(name => templatesWithResources.includes(name.trim()))

function isScrapedElsewhere({ pod, annotations }: Sidecar, { metrics }: DesiredSidecar): boolean {
  return (metrics.isMerged || !isProxyAlone(pod)) && namesOtherMetrics(annotations, metrics)
}

/**
 * Whether the injector would set different annotations for Prometheus today. With merged metrics, the injector sets the annotations to the
 * proxy's port, unless the Pod names that port itself or opts out of scraping.
 */
const namesOtherMetrics = (annotations: JsonMap, { isMerged, port }: DesiredSidecar['metrics']): boolean => {
  if (annotated(annotations, 'prometheus_io_scrape').some(text => goFalse.test(text))) return false
  const own = annotations['prometheus.istio.io/merge-metrics']
  if (isText(own) && goFalse.test(own)) return false
  if (isMerged || (isText(own) && goTrue.test(own))) return !annotated(annotations, 'prometheus_io_port').includes(port)
  return annotations['prometheus.io/path'] === '/stats/prometheus'
}

/** Booleans in Go's syntax. */
const goTrue = /^(?:1|t|T|TRUE|true|True)$/
const goFalse = /^(?:0|f|F|FALSE|false|False)$/

/** Ignores punctuation in keys, like Prometheus: `prometheus.io/port`, `prometheus_io_port`. */
const annotated = (annotations: JsonMap, label: string): string[] =>
  Object.entries(annotations).flatMap(([key, value]) =>
    isText(value) && key.replaceAll(/[^a-zA-Z0-9_]/g, '_') === label ? [value] : [],
  )

/** Whether the Pod is a gateway. The chart of a gateway always directs Prometheus to the proxy. */
const isProxyAlone = ({ spec }: KubeObject): boolean =>
  mapsIn(mapOrEmpty(spec).containers).every(({ name }) => name === 'istio-proxy')

function wasMadeForOtherCni({ pod }: Sidecar, { hasCni }: DesiredSidecar): boolean {
  const others = hasCni ? 'istio-init' : 'istio-validation'
  return mapsIn(mapOrEmpty(pod.spec).initContainers).some(({ name }) => name === others)
}

/**
 * Whether the Pod has a sidecar of the removed mesh. Pods of gateways are excluded, because they have only the proxy, and a restart would
 * leave no container.
 */
export const formerSidecar = (pod: KubeObject): Stale | undefined =>
  proxyIn(pod.spec) !== undefined && !isProxyAlone(pod) && isAlive(pod) ? { cause: 'removal' } : undefined

/** Whether the Pod is neither in deletion nor finished. Evicted Pods often stay in phase Failed for weeks. */
export const isAlive = (pod: KubeObject): boolean =>
  !isDeleting(pod) && !['Succeeded', 'Failed'].includes(String(mapOrEmpty(pod.status).phase))

type ProxyResources = {
  readonly requests?: Readonly<Record<string, unknown>>
  readonly limits?: Readonly<Record<string, unknown>>
}

/** Whether the container's quantities differ from the wanted quantities. undefined: the Pod's annotations are unreadable. */
const hasOtherResources = (container: JsonMap, annotations: JsonMap, wanted: ProxyResources): boolean | undefined => {
  const expected = amountsOf(
    overlaid(resourcesAnnotated(annotations) ?? wanted, mapOrEmpty(ownProxy(annotations).resources)),
  )
  if (expected.some(amount => amount === 'unreadable')) return undefined
  const present = amountsOf(mapOrEmpty(container.resources))
  return expected.some((amount, at) => amount !== present[at])
}

const annotation = { cpu: 'proxyCPU', memory: 'proxyMemory' } as const
const prefix = 'sidecar.istio.io/'

/** If a Pod has any of the four annotations, it gets only the quantities in its annotations. */
const resourcesAnnotated = (annotations: JsonMap): ProxyResources | undefined => {
  const quantities = (suffix: string) =>
    Object.fromEntries(
      Object.entries(annotation).flatMap(([resource, name]) => {
        const quantity = annotations[`${prefix}${name}${suffix}`]
        return quantity === undefined ? [] : [[resource, quantity]]
      }),
    )
  const [requests, limits] = [quantities(''), quantities('Limit')]
  return Object.keys({ ...requests, ...limits }).length === 0 ? undefined : { requests, limits }
}

const overlaid = (wanted: ProxyResources, own: JsonMap): ProxyResources => ({
  requests: { ...wanted.requests, ...mapOrEmpty(own.requests) },
  limits: { ...wanted.limits, ...mapOrEmpty(own.limits) },
})

type Amount = number | 'none' | 'unreadable'

/** If a request is missing, the API server sets it to the limit. */
const amountsOf = ({ requests = {}, limits = {} }: ProxyResources): readonly Amount[] =>
  (['cpu', 'memory'] as const).flatMap(resource => [
    amountOf(mapOrEmpty(requests)[resource] ?? mapOrEmpty(limits)[resource]),
    amountOf(mapOrEmpty(limits)[resource]),
  ])

const amountOf = (quantity: unknown): Amount => {
  if (quantity === undefined || quantity === null) return 'none'
  return (isText(quantity) || typeof quantity === 'number' ? quantityAmount(quantity) : undefined) ?? 'unreadable'
}

/**
 * The Pod's own container istio-proxy from before the injection; empty if the Pod had none. The injector merges this container over its own
 * container and saves it in an annotation: `{"containers":[{"name":"istio-proxy","image":"","resources":{"limits":{"cpu":"2"}}}]}`. Image
 * `auto` is saved as an empty text.
 */
const ownProxy = ({ 'proxy.istio.io/overrides': text }: JsonMap): JsonMap => {
  if (!isText(text)) return {}
  const noted = attempted<unknown>(() => JSON.parse(text))
  return proxyIn('read' in noted ? noted.read : undefined) ?? {}
}
