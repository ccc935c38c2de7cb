// Compares the objects that remain after two runs of the same story.
import { isDeepStrictEqual } from 'node:util'
import { changeText, fieldChanges } from '../../core/json/field-changes.ts'
import { isMap } from '../../core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../core/objects/object.ts'

/** A sentence for each difference between the objects. Values that always differ between two runs are ignored. */
export const differingObjects = (objects: readonly KubeObject[], wanted: readonly KubeObject[]): string[] => {
  const [found, expected] = [byRef(objects), byRef(wanted)]
  return [...new Set([...found.keys(), ...expected.keys()])]
    .filter(ref => !isDeepStrictEqual(found.get(ref), expected.get(ref)))
    .map(ref => `${ref} is ${differenceText(found.get(ref), expected.get(ref))}`)
}

/** Names the fields that differ. If an object is missing, or only the order differs, shows both objects. */
const differenceText = (found: unknown, expected: unknown): string => {
  const changes = isMap(found) && isMap(expected) ? fieldChanges(expected, found) : []
  if (changes.length === 0) return `${JSON.stringify(found)}, wanted is ${JSON.stringify(expected)}`
  return `different: ${changes.map(changeText).join(', ')}`
}

const byRef = (objects: readonly KubeObject[]): Map<string, unknown> =>
  new Map(objects.map(object => [refText(refOf(object)), masked(withoutEmptyStatus(object))]))

/** An empty status counts as no status: it remains if another manager takes back its fields. */
const withoutEmptyStatus = ({ status, ...object }: KubeObject): KubeObject =>
  isMap(status) && Object.keys(status).length > 0 ? { ...object, status } : object

const volatileFields = ['uid', 'resourceVersion']

/** Removes values that differ between any two runs. All times become the same text. */
const masked = (value: unknown): unknown => {
  if (typeof value === 'string') return time.test(value) ? 'a time' : value
  if (Array.isArray(value)) return value.map(masked)
  if (!isMap(value)) return value
  const fields = Object.entries(value).filter(([field]) => !volatileFields.includes(field))
  return Object.fromEntries(fields.map(([field, content]) => [field, masked(content)]))
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
