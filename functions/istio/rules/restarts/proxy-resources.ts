// What a sidecar may use: what is wanted for all, what its Pod wants instead by annotations, and whether a container has that.
import { isText, type JsonMap, mapOrEmpty } from '../../../../shared/core/json.ts'
import { quantityAmount } from '../../../../shared/core/quantity.ts'
import { ownProxy } from './own-proxy.ts'

/** As in a container. */
export type ProxyResources = {
  readonly requests?: Readonly<Record<string, unknown>>
  readonly limits?: Readonly<Record<string, unknown>>
}

/** Whether the container has other quantities than those wanted; undefined where what its Pod wants cannot be read. */
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

/** One of the four annotations is enough: then none of the wanted quantities counts. */
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

/** What has a limit and no request has the limit as its request: so API servers store it. */
const amountsOf = ({ requests = {}, limits = {} }: ProxyResources): readonly Amount[] =>
  (['cpu', 'memory'] as const).flatMap(resource => [
    amountOf(mapOrEmpty(requests)[resource] ?? mapOrEmpty(limits)[resource]),
    amountOf(mapOrEmpty(limits)[resource]),
  ])

const amountOf = (quantity: unknown): Amount => {
  if (quantity === undefined || quantity === null) return 'none'
  return (isText(quantity) || typeof quantity === 'number' ? quantityAmount(quantity) : undefined) ?? 'unreadable'
}
