// Compares the resources of a sidecar with the wanted resources. Annotations of a Pod may override the wanted resources.
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { quantityAmount } from '../../../../shared/core/objects/quantity.ts'

export type ProxyResources = {
  readonly requests?: Readonly<Record<string, unknown>>
  readonly limits?: Readonly<Record<string, unknown>>
}

/** Whether the container's quantities differ from the wanted quantities. undefined: the Pod's annotations are unreadable. */
export const hasOtherResources = (
  container: JsonMap,
  annotations: JsonMap,
  wanted: ProxyResources,
): boolean | undefined => {
  const expected = amountsOf(overlaid(annotated(annotations) ?? wanted, mapOrEmpty(ownProxy(annotations).resources)))
  if (expected.some(amount => amount === 'unreadable')) return undefined
  const present = amountsOf(mapOrEmpty(container.resources))
  return expected.some((amount, at) => amount !== present[at])
}

const annotation = { cpu: 'proxyCPU', memory: 'proxyMemory' } as const
const prefix = 'sidecar.istio.io/'

/** If a Pod has any of the four annotations, it gets only the quantities in its annotations. */
const annotated = (annotations: JsonMap): ProxyResources | undefined => {
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
export const ownProxy = ({ 'proxy.istio.io/overrides': text }: JsonMap): JsonMap => {
  if (!isText(text)) return {}
  const noted = attempted<unknown>(() => JSON.parse(text))
  const { containers, initContainers } = mapOrEmpty('read' in noted ? noted.read : undefined)
  return [...mapsIn(containers), ...mapsIn(initContainers)].find(({ name }) => name === 'istio-proxy') ?? {}
}
