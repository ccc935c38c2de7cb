// Checks the shape of rendered manifests before any read of the cluster.
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import { isPathSegment, isSubdomain } from '../../core/objects/dns-name.ts'
import { groupOf, type KubeObject } from '../../core/objects/object.ts'
import type { ManagedType } from '../item.ts'
import type { Sentence } from '../world.ts'
import { managedTypesOf } from './kinds.ts'

type Row = { readonly isAt: (manifest: JsonMap, metadata: JsonMap) => boolean; readonly fault: string }

/** Also used for an inherited namespace. */
export const namespaceFault = 'has a namespace that is not valid in a URL path'

const shapes: readonly Row[] = [
  { isAt: ({ apiVersion }) => !isText(apiVersion), fault: 'has no apiVersion' },
  { isAt: ({ kind }) => !isText(kind), fault: 'has no kind' },
  {
    isAt: (_, { generateName }) => generateName !== undefined,
    fault: 'has generateName instead of name; dependents need a name',
  },
  { isAt: (_, { name }) => !isText(name), fault: 'has no metadata.name' },
  { isAt: (_, { namespace }) => !isTextOrNothing(namespace), fault: 'has a namespace that is not a string' },
  // If the inventory contained such a name, the whole inventory would be unreadable.
  { isAt: (_, { name }) => isText(name) && !isPathSegment(name), fault: 'has a name that is not valid in a URL path' },
  {
    isAt: (_, { namespace }) => isText(namespace) && !isPathSegment(namespace),
    fault: namespaceFault,
  },
  { isAt: (_, { labels }) => !isTextMap(labels), fault: 'has a label whose value is not a string' },
  { isAt: (_, { annotations }) => !isTextMap(annotations), fault: 'has an annotation whose value is not a string' },
  {
    isAt: manifest => isSecret(manifest) && !isTextsOrNothing(manifest.stringData),
    fault: 'has stringData whose value is not a string',
  },
]

/** Names are shown in statuses, so they must look like Kubernetes names. A password in place of a name is refused and not shown. */
const names: readonly Row[] = [
  {
    isAt: ({ apiVersion }) => !/^([a-z0-9.-]+\/)?[a-z0-9]+$/.test(String(apiVersion)),
    fault: 'has no valid apiVersion',
  },
  { isAt: ({ kind }) => !/^[A-Za-z][A-Za-z0-9-]{0,62}$/.test(String(kind)), fault: 'has no valid kind' },
  { isAt: (manifest, { name }) => !isNameOf(manifest, String(name)), fault: 'has no valid name' },
  {
    isAt: (_, { namespace }) => isText(namespace) && !/^[a-z0-9-]{1,63}$/.test(namespace),
    fault: 'has no valid namespace',
  },
  {
    isAt: manifest => managedTypesOf(manifest as KubeObject).some(type => !isProperType(type)),
    fault: 'has no valid group or kind in its spec',
  },
]

/** Whether the type may be stored. The inventory contains the managed types of CRDs and APIServices. */
const isProperType = ({ group, version, kind }: ManagedType): boolean =>
  isSubdomain(group) && /^(\*|[a-z0-9]+)$/.test(version) && /^(\*|[A-Za-z][A-Za-z0-9]{0,62})$/.test(kind)

const isNameOf = ({ apiVersion }: JsonMap, name: string): boolean =>
  groupOf(String(apiVersion)) === 'rbac.authorization.k8s.io' ? /^[\w:.-]+$/.test(name) : isSubdomain(name)

/** Checks names only if manifests may contain text of Secrets. */
export const shapeFaults = (
  manifests: readonly JsonMap[],
  { isConfidential }: { isConfidential?: boolean },
): Sentence[] =>
  manifests.flatMap((manifest, index) => {
    const metadata = mapOrEmpty(manifest.metadata)
    const faulty = ({ isAt }: Row) => isAt(manifest, metadata)
    const misshapen = shapes.filter(faulty)
    const found = misshapen.length > 0 || !isConfidential ? misshapen : names.filter(faulty)
    return found.map(({ fault }) => ({
      full: `${nameOf(manifest, metadata, index)} ${fault}`,
      bare: `Manifest ${index + 1} ${fault}`,
    }))
  })

const nameOf = ({ kind }: JsonMap, { namespace, name, generateName }: JsonMap, index: number): string => {
  const key = [namespace, name ?? generateName].filter(isText).join('/')
  return isText(kind) && key ? `${kind} ${key}` : `Manifest ${index + 1}${key && ` (${key})`}`
}

const isTextOrNothing = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

const isTextMap = (value: unknown): boolean => isMapOf(value, text => typeof text === 'string')

/** API servers treat null in stringData as empty text. */
const isTextsOrNothing = (value: unknown): boolean => isMapOf(value, isTextOrNothing)

const isMapOf = (value: unknown, isGood: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || (isMap(value) && Object.values(value).every(isGood))

const isSecret = ({ apiVersion, kind }: JsonMap): boolean => apiVersion === 'v1' && kind === 'Secret'
