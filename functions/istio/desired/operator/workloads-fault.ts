// Whether an API server would accept the wanted workloads and sidecars. It is checked beforehand: a workload would be refused when the
// rest of its wave is changed already, and a sidecar only when its Pod is created, that is, in the middle of a restart.
import type { IstioOperator } from '../../../../shared/api/istio/operator.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText, type JsonMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { quantityAmount } from '../../../../shared/core/objects/quantity.ts'

/** The first fault of what the Istio and the profile together want, with the path of its field; undefined: there is none. */
export const workloadsFault = ({ spec }: IstioOperator): string | undefined => {
  const proxy = { resources: valueAt(spec, 'values', 'global', 'proxy', 'resources') }
  for (const [component, k8s] of [...workloadsIn(spec), ['proxy', proxy] as const])
    for (const { field, faults } of rows) {
      const found = faults(mapOrEmpty(valueAt(k8s, ...field.split('.'))))
      if (found.length > 0) return `spec.components.${component}.k8s.${field}: ${found.join('; ')}`
    }
  return undefined
}

/** The names of components in the Istio, and in the IstioOperator. */
const components = { pilot: 'pilot', ingressGateway: 'ingressGateways', egressGateway: 'egressGateways', cni: 'cni' }

/** The settings of the components that are enabled. */
const workloadsIn = (spec: JsonMap): (readonly [component: string, k8s: unknown])[] =>
  Object.entries(components).flatMap(([name, field]) => {
    const component = valueAt(spec, 'components', field)
    const { enabled, k8s } = mapOrEmpty(Array.isArray(component) ? component[0] : component)
    return enabled === false ? [] : [[name, k8s] as const]
  })

type Row = { readonly field: string; readonly faults: (value: JsonMap) => readonly string[] }

const rows: readonly Row[] = [
  { field: 'resources', faults: resources => ['cpu', 'memory'].flatMap(resource => beyondLimit(resources, resource)) },
  {
    field: 'hpaSpec',
    faults: ({ minReplicas, maxReplicas }) => [
      ...(Number(minReplicas) > Number(maxReplicas)
        ? [`minReplicas ${minReplicas} is more than maxReplicas ${maxReplicas}`]
        : []),
      ...Object.entries({ minReplicas, maxReplicas }).flatMap(([field, count]) =>
        count === 0 ? [`${field} is 0`] : [],
      ),
    ],
  },
  {
    field: 'strategy.rollingUpdate',
    faults: ({ maxSurge, maxUnavailable }) => [
      ...([maxSurge, maxUnavailable].every(share => Number.parseInt(String(share), 10) === 0)
        ? ['neither maxSurge nor maxUnavailable lets a Pod be replaced']
        : []),
      ...Object.entries({ maxSurge, maxUnavailable }).flatMap(([field, share]) => shareFault(field, share)),
    ],
  },
]

/** The schema takes a text of digits, as the Kyma Istio module does, which is neither a number nor a percentage. */
const shareFault = (field: string, share: unknown): readonly string[] =>
  isText(share) && !share.endsWith('%')
    ? [`${field} ${JSON.stringify(share)} is neither a number nor a percentage`]
    : []

const beyondLimit = (resources: JsonMap, resource: string): readonly string[] => {
  const [request, limit] = ['requests', 'limits'].map(side => String(valueAt(resources, side, resource) ?? ''))
  const isBeyond = (quantityAmount(request ?? '') ?? 0) > (quantityAmount(limit ?? '') ?? Number.POSITIVE_INFINITY)
  return isBeyond ? [`${resource} ${request} is requested, which is more than the limit ${limit}`] : []
}
