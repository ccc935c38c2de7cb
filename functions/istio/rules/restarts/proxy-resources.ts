// The resources of a sidecar: those wanted for all, those that annotations of its Pod want instead, and whether a container has them.
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { quantityAmount } from '../../../../shared/core/objects/quantity.ts'

/** Requests and limits, as in a container. */
export type ProxyResources = {
  readonly requests?: Readonly<Record<string, unknown>>
  readonly limits?: Readonly<Record<string, unknown>>
}

/** Whether the container has other quantities than are wanted; undefined: the Pod's annotations cannot be parsed. */
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

/** A Pod with one of the four annotations gets only the quantities that its annotations name. */
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

/** An API server sets a missing request to the limit. */
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
 * The container istio-proxy that the Pod brought along; an empty one where it brought none. The injector lays that container over its own
 * and notes it in an annotation, `{"containers":[{"name":"istio-proxy","image":"","resources":{"limits":{"cpu":"2"}}}]}`. An image
 * `auto` is noted as none.
 */
export const ownProxy = ({ 'proxy.istio.io/overrides': text }: JsonMap): JsonMap => {
  if (!isText(text)) return {}
  const noted = attempted<unknown>(() => JSON.parse(text))
  const { containers, initContainers } = mapOrEmpty('read' in noted ? noted.read : undefined)
  return [...mapsIn(containers), ...mapsIn(initContainers)].find(({ name }) => name === 'istio-proxy') ?? {}
}
