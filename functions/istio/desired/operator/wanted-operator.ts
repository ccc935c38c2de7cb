// The IstioOperator that is wanted for an Istio in this cluster: its profile, and over it what the Istio says, the images, the pull
// secret, and last what the provider of the cluster needs.
import type { IstioInstallation } from '../../../../shared/api/installation.ts'
import type { IstioOperator, IstioProfiles } from '../../../../shared/api/istio/operator.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { type JsonMap, mapsIn } from '../../../../shared/core/json/json.ts'
import type { ClusterFacts } from '../../rules/cluster-facts.ts'
import { profileNameFor } from '../../rules/nodes.ts'
import { providerOf } from '../../rules/provider.ts'
import { authorizersFault } from './authorizers.ts'
import { customizations } from './customizations.ts'
import { dualStackEdits } from './dual-stack.ts'
import { type Edit, edited } from './edit.ts'
import { featureEdits } from './feature-edits.ts'
import { imageEdits, pullSecretEdits } from './image-edits.ts'
import { lineSeparatorsFault } from './line-separators-fault.ts'
import { providerEdits } from './provider-edits.ts'
import { trustDomainFault } from './trust-domain-fault.ts'
import { workloadsFault } from './workloads-fault.ts'

export type OperatorWish = {
  /** Of the Istio, as its schema accepted it. */
  readonly spec: JsonMap
  readonly profiles: IstioProfiles
  readonly cluster: ClusterFacts
  readonly installation: Pick<IstioInstallation, 'images' | 'pullSecret'>
}

/** The IstioOperator; or `fault`: which field of the Istio cannot become part of it, and why. */
export const wantedOperator = (
  wish: OperatorWish,
): { readonly operator: IstioOperator } | { readonly fault: string } => {
  const profile = wish.profiles[profileNameFor(wish.cluster.nodes)]
  const operator = edited(profile, editsFor(wish))
  const fault = meshFault(wish.spec, profile) ?? workloadsFault(operator)
  return fault === undefined ? { operator } : { fault: `Could not merge Istio operator configuration: ${fault}` }
}

/** A field that istiod could not read, or would misread. */
const meshFault = (spec: JsonMap, profile: IstioOperator): string | undefined => {
  const authorizers = valueAt(spec, 'config', 'authorizers')
  const taken = mapsIn(valueAt(profile.spec, 'meshConfig', 'extensionProviders')).map(({ name }) => name)
  const fault = authorizersFault(Array.isArray(authorizers) ? authorizers : [], taken)
  return (
    fault ?? trustDomainFault(valueAt(spec, 'config', 'trustDomain')) ?? lineSeparatorsFault(spec.config, 'spec.config')
  )
}

const editsFor = ({ spec, cluster, installation }: OperatorWish): readonly Edit[] => [
  ...customizations(spec),
  ...featureEdits(cluster.features),
  ...(cluster.isDualStack ? dualStackEdits : []),
  ...imageEdits(installation.images),
  ...pullSecretEdits(installation.pullSecret),
  ...providerEdits(providerOf(cluster)),
]
