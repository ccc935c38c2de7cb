// Warnings about valid Gardens: fields without effect or deprecated, a backup without bucketName, and Service ranges with which
// kube-apiserver may not start.
import { isIdle } from '../../../shared/api/garden/parts.ts'
import { gardenSpec } from '../../../shared/api/garden/spec.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isText } from '../../../shared/core/json/json.ts'
import { parseNetwork } from '../../../shared/core/network/cidr.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { etcd, kubeAPIServerPath, ofBothAPIServers } from './paths.ts'

/** The paths of fields that the schema marks as without effect. Fields inside such a field are omitted. */
const idleFields = (schema: JsonSchema, path: string): string[] =>
  isIdle(schema)
    ? [path]
    : Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => idleFields(inner, `${path}.${field}`))

const isSet = (value: unknown): boolean => value !== undefined

/** `says`: the text after the path. */
type Row = { at: string; warns: (value: unknown, garden: Garden) => boolean; says: string }

export const idlePaths: readonly string[] = idleFields(gardenSpec, 'spec')

/** Fields that Kubernetes deprecates. */
const deprecated = [
  ...ofBothAPIServers('watchCacheSizes.default').map(at => ({
    at,
    says: ': deprecated, forbidden from v1.35 on; remove it, since API servers size their caches themselves',
  })),
  {
    at: `${kubeAPIServerPath}.enableAnonymousAuthentication`,
    says: ': deprecated since v1.32, forbidden from v1.35 on; use "anonymous" of an AuthenticationConfiguration instead',
  },
]

const hasOtherFamily = (services: unknown, { spec }: Garden): boolean => {
  const [first] = Array.isArray(services) ? services : []
  const family = isText(first) ? parseNetwork(first)?.family : undefined
  return family !== undefined && family !== (spec.runtimeCluster.networking.ipFamilies?.[0] ?? 'IPv4')
}

const rows: readonly Row[] = [
  ...idlePaths.map(at => ({ at, warns: isSet, says: ' is accepted and stored, but has no effect' })),
  ...deprecated.map(row => ({ ...row, warns: isSet })),
  {
    at: `${etcd}.main.backup.bucketName`,
    warns: (name, garden) => (!isSet(name) || name === '') && isSet(garden.spec.virtualCluster.etcd?.main?.backup),
    says: ' is not set: no backups are made until it names an existing bucket',
  },
  {
    at: 'spec.virtualCluster.networking.services',
    warns: hasOtherFamily,
    says: ': kube-apiserver starts only if the first range has the IP family of its Pods, which is the first of spec.runtimeCluster.networking.ipFamilies',
  },
]

/** Each warning is a line about one field. */
export const warningsOf = (garden: Garden): string[] =>
  rows.filter(({ at, warns }) => warns(valueAt(garden, ...at.split('.')), garden)).map(({ at, says }) => at + says)
