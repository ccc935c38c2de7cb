// An admission function made to be measured: it defaults and judges Gardens as a real one would, by a compiled schema and by
// rules over several fields. The product's functions do not come into this benchmark, so their changes do not move its figures.
import { Ajv } from 'ajv'
import { gardenSpec } from '../../shared/api/garden/spec.ts'
import { gardenKind } from '../../shared/api/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { AdmissionCause, AdmissionFunction, AdmissionVerdict } from '../../shared/runtime/definition.ts'

export const reviewPath = 'bench-garden'

export const gardenReview: AdmissionFunction = {
  does: 'review',
  name: 'bench-garden',
  kind: gardenKind,
  review: ({ object }) => (object ? verdictOn(object) : { allowed: true }),
}

const verdictOn = (object: KubeObject): AdmissionVerdict => {
  const causes = [...schemaCauses(object), ...networkCauses(object)]
  if (causes.length > 0)
    return { allowed: false, code: 422, reason: 'Invalid', message: 'the Garden is invalid', causes }
  return { allowed: true, object: defaulted(object) }
}

/** The schema is one for CRDs: it has words of Kubernetes that Ajv is not to stumble over. */
const fits = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(gardenSpec)

const schemaCauses = ({ spec }: KubeObject): AdmissionCause[] =>
  fits(spec) ? [] : (fits.errors ?? []).map(({ instancePath, message = '' }) => invalid(instancePath, message))

type Networks = { nodes?: string[]; pods?: string[]; services?: string[] }
type Spec = { runtimeCluster: { networking: Networks }; virtualCluster: { networking: Networks } }
type Range = { cidr: string; first: number; last: number }

const networkCauses = ({ spec }: KubeObject): AdmissionCause[] => {
  const { runtimeCluster, virtualCluster } = spec as Spec
  const all = [runtimeCluster.networking, virtualCluster.networking].flatMap(rangesOf)
  return all.flatMap((one, at) =>
    all
      .slice(at + 1)
      .flatMap(other => (overlap(one, other) ? [invalid('spec', `${one.cidr} overlaps ${other.cidr}`)] : [])),
  )
}

const rangesOf = ({ nodes = [], pods = [], services = [] }: Networks): Range[] =>
  [...nodes, ...pods, ...services].map(range)

const range = (cidr: string): Range => {
  const [address = '', bits = '32'] = cidr.split('/')
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return { cidr, first, last: first + 2 ** (32 - Number(bits)) - 1 }
}

const overlap = (one: Range, other: Range): boolean => one.first <= other.last && other.first <= one.last

const invalid = (field: string, message: string): AdmissionCause => ({ reason: 'FieldValueInvalid', field, message })

const defaulted = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, 'bench/reviewed': 'true' } },
  spec: { ...(object.spec as object), maintenance: { timeWindow: { begin: '220000+0100', end: '230000+0100' } } },
})
