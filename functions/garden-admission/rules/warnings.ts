// Warnings about valid Gardens: fields that have no effect here, and a backup without bucketName.
import { isIdle } from '../../../shared/api/garden/parts.ts'
import { gardenSpec } from '../../../shared/api/garden/spec.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { etcd, ofBothAPIServers } from './paths.ts'

/** The outermost fields without effect, from the schema. */
const idleFields = (schema: JsonSchema, path: string): string[] =>
  isIdle(schema)
    ? [path]
    : Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => idleFields(inner, `${path}.${field}`))

const isSet = (value: unknown): boolean => value !== undefined

type Row = { at: string; warns: (value: unknown, garden: Garden) => boolean; says: string }

/** Every field without effect. */
export const idlePaths: readonly string[] = idleFields(gardenSpec, 'spec')

const rows: readonly Row[] = [
  ...idlePaths.map(at => ({ at, warns: isSet, says: 'is accepted and kept, not acted upon' })),
  ...ofBothAPIServers('encryptionConfig.provider.type').map(at => ({
    at,
    warns: (type: unknown) => isSet(type) && type !== 'aescbc',
    says: 'is accepted and kept, not acted upon: aescbc is used',
  })),
  {
    at: `${etcd}.main.backup.bucketName`,
    warns: (name, garden) => (!isSet(name) || name === '') && isSet(garden.spec.virtualCluster.etcd?.main?.backup),
    says: 'is not set: no etcd is made until it names an existing bucket',
  },
]

/** One line per field. */
export const warningsOf = (garden: Garden): string[] =>
  rows
    .filter(({ at, warns }) => warns(valueAt(garden, ...at.split('.')), garden))
    .map(({ at, says }) => `${at} ${says}`)
