// Whether sidecars could be made with the resources that are wanted for them. API servers judge workloads; what the injector puts into
// Pods is judged when a Pod is made, too late for whatever is being restarted.
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { valueAt } from '../../../../shared/core/fields.ts'
import { quantityAmount } from '../../../../shared/core/quantity.ts'

/** What is requested beyond its limit, as the Istio and the profile together have it; undefined: nothing. */
export const proxyResourcesFault = ({ spec }: IstioOperator): string | undefined => {
  const quantity = (side: string, resource: string) =>
    String(valueAt(spec, 'values', 'global', 'proxy', 'resources', side, resource) ?? '')
  const faults = ['cpu', 'memory'].flatMap(resource => {
    const [request, limit] = [quantity('requests', resource), quantity('limits', resource)]
    const isBeyond = (quantityAmount(request) ?? 0) > (quantityAmount(limit) ?? Number.POSITIVE_INFINITY)
    return isBeyond ? [`${resource} ${request} is requested, which is more than the limit ${limit}`] : []
  })
  return faults.length === 0 ? undefined : `spec.components.proxy.k8s.resources: ${faults.join('; ')}`
}
