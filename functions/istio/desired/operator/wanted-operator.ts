// The IstioOperator that is wanted for an Istio in this cluster: its profile, and over it what the Istio says, the images, the pull
// secret, and last what the provider of the cluster needs.
import type { IstioInstallation } from '../../../../shared/api/installation.ts'
import type { IstioOperator, IstioProfiles } from '../../../../shared/api/istio/operator.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText, type JsonMap, mapsIn } from '../../../../shared/core/json/json.ts'
import { hasLongLabel, hasSubdomainForm } from '../../../../shared/core/objects/dns-name.ts'
import type { ClusterFacts } from '../../rules/cluster-facts.ts'
import { profileNameFor } from '../../rules/nodes.ts'
import { providerOf } from '../../rules/provider.ts'
import { authorizersFault } from './authorizers.ts'
import { customizations } from './customizations.ts'
import { addedAt, type Edit, edited, setAt } from './edit.ts'
import { featureEdits } from './feature-edits.ts'
import { imageEdits, pullSecretEdits } from './image-edits.ts'
import { providerEdits } from './provider-edits.ts'
import { quoted } from './quoted-value.ts'
import { workloadsFault } from './workloads-fault.ts'

export type OperatorInput = {
  /** Of the Istio, as its schema accepted it. */
  readonly spec: JsonMap
  readonly profiles: IstioProfiles
  readonly cluster: ClusterFacts
  readonly installation: Pick<IstioInstallation, 'images' | 'pullSecret'>
}

/** The IstioOperator; or `fault`: which field of the Istio cannot become part of it, and why. */
export const wantedOperator = (
  input: OperatorInput,
): { readonly operator: IstioOperator } | { readonly fault: string } => {
  const profile = input.profiles[profileNameFor(input.cluster.nodes)]
  const operator = edited(profile, editsFor(input))
  const fault = meshFault(input.spec, profile) ?? workloadsFault(operator)
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

const editsFor = ({ spec, cluster, installation }: OperatorInput): readonly Edit[] => [
  ...customizations(spec),
  ...featureEdits(cluster.features),
  ...(cluster.isDualStack ? dualStackEdits : []),
  ...imageEdits(installation.images),
  ...pullSecretEdits(installation.pullSecret),
  ...providerEdits(providerOf(cluster)),
]

// Whether istiod can read the trust domain. Else it reads nothing of the configuration of the mesh, and does not start again.

/** undefined: it is well, or not given. */
const trustDomainFault = (domain: unknown): string | undefined => {
  if (!isText(domain)) return undefined
  const rest = domain.replace(/\.$/, '')
  const isFine = hasSubdomainForm(rest) && !hasLongLabel(rest)
  return isFine ? undefined : `spec.config.trustDomain: ${JSON.stringify(domain)} is no DNS name`
}

const variable = { ISTIO_DUAL_STACK: 'true' }

/** Addresses of both families, for clusters that have them. */
const dualStackEdits: readonly Edit[] = [
  addedAt('meshConfig.defaultConfig.proxyMetadata', variable),
  addedAt('values.pilot.env', variable),
  ...['pilot', 'gateways.istio-ingressgateway', 'gateways.istio-egressgateway'].map(root =>
    setAt(`values.${root}.ipFamilyPolicy`, 'RequireDualStack'),
  ),
]

// Texts with one of three characters (U+0085, U+2028, U+2029) that end a line of YAML. Helm's templates do not escape them, so the
// configuration of the mesh would be no YAML.

/** The first such text in a value, keys included, after its path; undefined: all are well. The schema bounds how deep the value is. */
const lineSeparatorsFault = (value: unknown, path: string): string | undefined => {
  if (isText(value)) return separator.test(value) ? `${path}: ${quoted(value)} has a line separator` : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    const fault = lineSeparatorsFault(separator.test(key) ? key : inner, separator.test(key) ? path : at)
    if (fault !== undefined) return fault
  }
  return undefined
}

const separator = /[\u0085\u2028\u2029]/
