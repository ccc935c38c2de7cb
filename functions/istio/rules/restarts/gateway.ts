// Whether the ingress gateway runs with an old configuration.
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { RestartCause } from '../../reasons.ts'
import type { World } from '../../world.ts'
import { areFieldsChanging } from './restart-fields.ts'
import { madeAt } from './restart-times.ts'

type GatewayAge = {
  readonly deployment: KubeObject
  /** All Pods of the mesh. */
  readonly pods: readonly KubeObject[]
  /** When a mesh resource last changed that a gateway reads at its start, in unix seconds. */
  readonly resourceChangedAt: number | undefined
}

/** Why the gateway needs a restart; undefined: it needs none. Whether it was restarted for that already is judged elsewhere. */
export const gatewayStale = ({ istio }: Pick<World, 'istio'>, age: GatewayAge): RestartCause | undefined => {
  if (areFieldsChanging('ingressGateway', istio)) return 'configuration'
  const { resourceChangedAt } = age
  const isOld = (pod: KubeObject) => resourceChangedAt !== undefined && madeAt(pod) <= resourceChangedAt
  return age.pods.some(pod => isPodOf(age.deployment, pod) && isOld(pod)) ? 'meshResource' : undefined
}

const isPodOf = ({ spec }: KubeObject, { metadata: { labels = {} } }: KubeObject): boolean => {
  const wanted = Object.entries(mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).selector).matchLabels))
  return wanted.length > 0 && wanted.every(([label, value]) => labels[label] === value)
}
