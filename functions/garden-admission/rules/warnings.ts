// Warnings about valid Gardens: fields that have no effect here or are deprecated, and a backup without bucketName.
import { isIdle } from '../../../shared/api/garden/parts.ts'
import { gardenSpec } from '../../../shared/api/garden/spec.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { etcd, kubeAPIServerPath, ofBothAPIServers } from './paths.ts'

/** The outermost fields without effect, from the schema. */
const idleFields = (schema: JsonSchema, path: string): string[] =>
  isIdle(schema)
    ? [path]
    : Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => idleFields(inner, `${path}.${field}`))

const isSet = (value: unknown): boolean => value !== undefined

/** `says`: what follows the path. */
type Row = { at: string; warns: (value: unknown, garden: Garden) => boolean; says: string }

export const idlePaths: readonly string[] = idleFields(gardenSpec, 'spec')

/** In the words of Kubernetes' own warnings. */
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

const rows: readonly Row[] = [
  ...idlePaths.map(at => ({ at, warns: isSet, says: ' is accepted and kept, not acted upon' })),
  ...deprecated.map(row => ({ ...row, warns: isSet })),
  {
    at: `${etcd}.main.backup.bucketName`,
    warns: (name, garden) => (!isSet(name) || name === '') && isSet(garden.spec.virtualCluster.etcd?.main?.backup),
    says: ' is not set: no backups are made until it names an existing bucket',
  },
]

/** One line per field. */
export const warningsOf = (garden: Garden): string[] =>
  rows.filter(({ at, warns }) => warns(valueAt(garden, ...at.split('.')), garden)).map(({ at, says }) => at + says)
