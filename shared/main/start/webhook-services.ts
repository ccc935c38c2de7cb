// Who answers webhooks of a Service in the clusters of `npm start`, in which no Pods run: programs in this process answer for some Services.
// Services of third parties (gardener-resource-manager, cert-manager) have no such program. Their webhooks allow everything unchanged, because
// otherwise these writes would be refused forever.
//
//   const services = webhookServices(['espalier-system', 'istio-system/istiod'])
//   services.lead('istio-system/istiod', 4321)
import type { ServiceResolver } from '../../embedded/admission/call-webhook.ts'

type WebhookServices = {
  readonly resolve: ServiceResolver
  /** From now on, this port answers for the Services of the place. */
  lead(place: string, port: number | undefined): void
}

/** `places`: a namespace, or namespace/name of one Service. Until `lead` is called for a place, its webhooks fail. */
export const webhookServices = (places: readonly string[]): WebhookServices => {
  const ports = new Map<string, number | undefined>(places.map(place => [place, undefined]))
  const resolve: ServiceResolver = ({ namespace, name, isNamedByUrl }) => {
    if (isNamedByUrl) return undefined
    const place = [`${namespace}/${name}`, namespace].find(one => ports.has(one))
    if (place === undefined) return 'allows'
    const port = ports.get(place)
    return port === undefined ? undefined : { host: '127.0.0.1', port }
  }
  return { resolve, lead: (place, port) => ports.set(place, port) }
}
