// What an API server fills in when an object is created and lets nobody take away or change: a replacement that leaves it out
// would be refused, whatever else it says. Of most kinds the API server puts it back by itself (the cluster IP of a
// Service); here are those of which it does not.
import { isMap } from '../../core/json.ts'
import { groupOf, type KubeObject } from '../../core/object.ts'

/** The object with what was filled into it, where it says nothing itself. */
export const withFilledIn = (object: KubeObject, live: KubeObject): KubeObject => {
  let filled = object
  for (const path of filledIn[`${groupOf(object.apiVersion)}/${object.kind}`] ?? [])
    filled = { ...filled, ...filledAt(path, filled, live) }
  return filled
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

/** A field, with the value of `live` at this path unless `wanted` has one there. */
const filledAt = ([field = '', ...rest]: Path, wanted: unknown, live: unknown): object => {
  const [inWanted, inLive] = [valueAt(field, wanted), valueAt(field, live)]
  if (rest.length === 0) return (inWanted ?? inLive) === undefined ? {} : { [field]: inWanted ?? inLive }
  const below = filledAt(rest, inWanted, inLive)
  return Object.keys(below).length > 0 ? { [field]: { ...(isMap(inWanted) && inWanted), ...below } } : {}
}

const valueAt = (field: string, value: unknown): unknown => (isMap(value) ? value[field] : undefined)
