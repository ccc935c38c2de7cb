// The kind Redis: its fields, once for the compiler and for the API server, which also refuses changes that cannot be made.
import type { KubeObject } from 'espalier'
import * as is from 'espalier/schema'

const enabled = is.defaulted(is.flag, false)
const isFixed = { rule: 'self == oldSelf', message: 'is immutable' }
const persistence = is.options({ enabled, size: is.quantity, storageClass: is.text })

const spec = is.options({
  version: is.text,
  replicas: is.defaulted({ ...is.int32, minimum: 1 }, 1),
  sentinel: is.defaulted(is.options({ enabled: is.held(enabled, isFixed) }), { enabled: false }),
  metrics: is.defaulted(is.options({ enabled }), { enabled: false }),
  persistence: is.defaulted(is.held(persistence, isFixed), { enabled: false }),
  binding: is.options({ secretName: is.text, template: is.text }),
  resources: is.raw,
  nodeSelector: is.mapOf(is.text),
  topologySpreadConstraints: is.list(is.raw),
})

export type Redis = KubeObject & { spec: is.Typed<typeof spec> }

export const definition = is.customResourceDefinition({
  group: 'cache.cs.sap.com',
  version: 'v1alpha1',
  kind: 'Redis',
  plural: 'redis',
  scope: 'Namespaced',
  description: 'A Redis cache for clients in the cluster.',
  columns: [is.conditionColumn('Ready', 'Ready', 'Whether clients can use it.'), is.ageColumn],
  spec,
  status: is.raw,
})
