// What an API server fills in when an object is created and lets nobody take away or change: a replacement that leaves it out
// would be refused, whatever else it says. Of most kinds the API server puts it back by itself (the cluster IP of a
// Service); here are those of which it does not.
import { valueAt, withValueAt } from '../../core/fields.ts'
import type { JsonMap } from '../../core/json.ts'
import { groupOf, type KubeObject } from '../../core/object.ts'

/** The object with what was filled into it, where it says nothing itself. */
export const withFilledIn = (object: KubeObject, live: KubeObject): KubeObject => {
  const missing = (filledIn[`${groupOf(object.apiVersion)}/${object.kind}`] ?? []).filter(
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
