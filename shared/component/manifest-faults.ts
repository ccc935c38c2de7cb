// What is wrong with a rendered manifest by its shape alone, before it is compared with anything: one row per fault.
import { isMap, isText, type JsonMap } from '../core/json.ts'

type Row = { readonly isAt: (manifest: JsonMap, metadata: JsonMap) => boolean; readonly fault: string }

const rows: readonly Row[] = [
  { isAt: ({ apiVersion }) => !isText(apiVersion), fault: 'has no apiVersion' },
  { isAt: ({ kind }) => !isText(kind), fault: 'has no kind' },
  { isAt: (_, { generateName }) => generateName !== undefined, fault: 'has a generateName; dependents need names' },
  { isAt: (_, { name }) => !isText(name), fault: 'has no metadata.name' },
  { isAt: (_, { namespace }) => !isTextOrNothing(namespace), fault: 'has a namespace that is no string' },
  { isAt: (_, { labels }) => !isTextMap(labels), fault: 'has a label whose value is no string' },
  { isAt: (_, { annotations }) => !isTextMap(annotations), fault: 'has an annotation whose value is no string' },
  {
    isAt: manifest => isSecret(manifest) && !isTextsOrNothing(manifest.stringData),
    fault: 'has stringData whose value is no string',
  },
]

/** Sentences that name the manifest. */
export const shapeFaults = (manifest: JsonMap, index: number): string[] => {
  const metadata = isMap(manifest.metadata) ? manifest.metadata : {}
  return rows
    .filter(({ isAt }) => isAt(manifest, metadata))
    .map(({ fault }) => `${nameOf(manifest, metadata, index)} ${fault}`)
}

const nameOf = ({ kind }: JsonMap, { namespace, name, generateName }: JsonMap, index: number): string => {
  const key = [namespace, name ?? generateName].filter(isText).join('/')
  return isText(kind) && key ? `${kind} ${key}` : `Manifest ${index + 1}${key && ` (${key})`}`
}

const isTextOrNothing = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

const isTextMap = (value: unknown): boolean => isMapOf(value, text => typeof text === 'string')

/** An API server reads null as an empty text there. */
const isTextsOrNothing = (value: unknown): boolean => isMapOf(value, isTextOrNothing)

const isMapOf = (value: unknown, isGood: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || (isMap(value) && Object.values(value).every(isGood))

const isSecret = ({ apiVersion, kind }: JsonMap): boolean => apiVersion === 'v1' && kind === 'Secret'
