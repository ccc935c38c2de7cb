// Immutable fields that an API server sets at creation. A replace without these fields is refused. For most kinds the API server keeps such
// fields itself (the cluster IP of a Service). This table lists all other fields.
import { valueAt, withValueAt } from '../../core/json/fields.ts'
import type { JsonMap } from '../../core/json/json.ts'
import { groupAndKind, type KubeObject } from '../../core/objects/object.ts'

export const withServerFilledFields = (object: KubeObject, live: KubeObject): KubeObject => {
  const missing = (filledIn[groupAndKind(object)] ?? []).filter(
    path => (valueAt(object, ...path) ?? undefined) === undefined && valueAt(live, ...path) !== undefined,
  )
  let filled: JsonMap = object
  for (const path of missing) filled = withValueAt(filled, path, valueAt(live, ...path))
  return filled as KubeObject
}

type Path = readonly string[]

const jobLabels = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name']

const filledIn: Readonly<Record<string, readonly Path[]>> = {
  '/PersistentVolumeClaim': [
    ['spec', 'volumeName'],
    ['spec', 'storageClassName'],
  ],
  'batch/Job': [['spec', 'selector'], ...jobLabels.map(label => ['spec', 'template', 'metadata', 'labels', label])],
}
