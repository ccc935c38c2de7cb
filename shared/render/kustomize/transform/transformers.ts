// Transformers change the objects of a kustomization in place and may drop objects: labels and annotations, replicas, names, namespaces, images.
import { sha256Hex } from '../../../core/digest.ts'
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { htmlSafe } from '../../../core/text/text.ts'
import { RenderError } from '../../generator.ts'
import { entrySetter, type FieldSpec, textSetter, type Visit, visitFields } from '../fields/field-spec.ts'
import type { Image, Replica } from '../files/arguments.ts'
import { nodeScalar } from '../files/documents.ts'
import { type GvkPattern, isSelected, type Resource, settleTwins, tie } from '../resource.ts'
import { compiled, everKnownAs, refuseTwins } from '../resources.ts'

export type Transform = (resources: readonly Resource[]) => readonly Resource[]

/** A transformer that changes each object separately and drops no objects. */
const forEach =
  (change: (resource: Resource) => void): Transform =>
  resources => {
    for (const resource of resources) change(resource)
    return resources
  }

export const addingEntries = (entries: Readonly<Record<string, string>>, specs: readonly FieldSpec[]): Transform =>
  forEach(resource => {
    for (const key of Object.keys(entries).sort()) addEntry(resource, key, entries[key], specs)
  })

const addEntry = (resource: Resource, key: string, value: unknown, specs: readonly FieldSpec[]): void => {
  const made: { map: JsonMap; key: string }[] = []
  const visit = entrySetter(key, value, map => made.push({ map, key }))
  for (const spec of specs) visitFields(resource.fields, spec, visit)
  settleTwins(resource)
  tie(resource, made)
}

export const replicating =
  ({ name = '', count = 0 }: Replica, specs: readonly FieldSpec[]): Transform =>
  resources => {
    const found = specs.map(spec => ({
      spec,
      resources: everKnownAs(resources, identity => identity.name === name && isSelected(identity, spec)),
    }))
    if (found.every(({ resources }) => resources.length === 0))
      throw new RenderError(`replicas: no resource of a kind with replicas is named ${name}`)
    for (const { spec, resources } of found)
      for (const { fields } of resources) visitFields(fields, spec, counting(count))
    return resources
  }

/** A quoted count stays quoted. */
const counting = (count: number): Visit => ({
  ...textSetter((_text, found) => (typeof found === 'string' ? String(count) : count)),
  missing: () => count,
})

/** Kinds that get no prefix or suffix: users depend on their names without a reference. */
const unnamed: readonly GvkPattern[] = [
  { kind: 'CustomResourceDefinition' },
  { kind: 'APIService', group: 'apiregistration.k8s.io' },
  { kind: 'Namespace' },
]

type Affix = {
  readonly affix: string
  readonly affixed: (text: string) => string
  readonly list: 'prefixes' | 'suffixes'
}

export const prefixing = (prefix: string, specs: readonly FieldSpec[]): Transform =>
  affixing(specs, { affix: prefix, affixed: text => `${prefix}${text}`, list: 'prefixes' })

export const suffixing = (suffix: string, specs: readonly FieldSpec[]): Transform =>
  affixing(specs, { affix: suffix, affixed: text => `${text}${suffix}`, list: 'suffixes' })

const affixing = (specs: readonly FieldSpec[], { affix, affixed, list }: Affix): Transform =>
  forEach(resource => {
    const { original } = resource
    if (unnamed.some(pattern => isSelected(original, pattern))) return
    for (const spec of specs.filter(spec => isSelected(original, spec))) {
      if (spec.path === 'metadata/name' && affix !== '') {
        resource[list] = [...resource[list], affix]
        resource.rememberIdentity()
      }
      visitFields(resource.fields, spec, textSetter(affixed))
    }
  })

export const hashing: Transform = forEach(resource => {
  if (!resource.needsHash) return
  const hash = contentHash(resource.fields)
  resource.rememberIdentity()
  resource.setMetadata('name', `${resource.name}-${hash}`)
})

/** The hash depends only on the content, so that changed content leads to a new name. The letters cannot form words. */
const contentHash = (object: JsonMap): string => {
  const content = contents[String(object.kind)]
  if (content === undefined)
    throw new RenderError(`cannot hash the content of a ${String(object.kind)}; expected ConfigMap or Secret`)
  const hex = sha256Hex(goJson(content(object)))
  return hex.slice(0, 10).replace(/[013ae]/g, digit => letters[digit] ?? digit)
}

const letters: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' }

const contents: Readonly<Record<string, (object: JsonMap) => JsonMap>> = {
  ConfigMap: ({ data, binaryData }) => ({ kind: 'ConfigMap', name: '', data: data ?? '', ...mapNamed({ binaryData }) }),
  Secret: ({ type, data, stringData }) => ({
    kind: 'Secret',
    name: '',
    type: type ?? '',
    data: data ?? '',
    ...mapNamed({ stringData }),
  }),
}

const mapNamed = (field: JsonMap): JsonMap => (Object.values(field).every(isMap) ? field : {})

/** JSON as Go 1.22 and newer write it, with sorted keys. */
const goJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (!isMap(value)) return htmlSafe(JSON.stringify(value ?? null))
  const keys = Object.keys(value).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
  return `{${keys.map(key => `${htmlSafe(JSON.stringify(key))}:${goJson(value[key])}`).join(',')}}`
}

type NamespaceOptions = {
  readonly specs: readonly FieldSpec[]
  readonly unsetOnly?: boolean
  readonly setRoleBindingSubjects?: string
}

const subjectModes: Readonly<Record<string, (subject: JsonMap) => boolean>> = {
  defaultOnly: subject => nodeScalar(own(subject, 'name')) === 'default',
  allServiceAccounts: subject => nodeScalar(own(subject, 'kind')) === 'ServiceAccount',
  none: () => false,
}

export const namespacing = (namespace: string, options: NamespaceOptions): Transform => {
  const isSubject = subjectModes[options.setRoleBindingSubjects || 'defaultOnly']
  if (isSubject === undefined)
    throw new RenderError(`setRoleBindingSubjects must be one of ${Object.keys(subjectModes).join(', ')}`)
  const value = (former: unknown): unknown => (options.unsetOnly && nodeScalar(former) !== '' ? former : namespace)
  return resources => {
    if (namespace === '') return resources
    for (const resource of resources.filter(({ isEmpty }) => !isEmpty)) {
      resource.rememberIdentity()
      setNamespace(resource, value)
      if (isRoleBinding(resource.kind)) setSubjects(resource.fields.subjects, isSubject, value)
      for (const spec of options.specs.filter(spec => isFor(spec, resource)))
        visitFields(
          resource.fields,
          spec,
          textSetter((_text, former) => value(former)),
        )
    }
    refuseTwins(resources)
    return resources
  }
}

type Value = (former: unknown) => unknown

const setNamespace = (resource: Resource, value: Value): void => {
  if (resource.current.isClusterScoped) return
  visitFields(
    resource.fields,
    { path: 'metadata/namespace', create: true },
    textSetter((_text, former) => value(former)),
  )
}

const isRoleBinding = (kind: string): boolean => kind === 'RoleBinding' || kind === 'ClusterRoleBinding'

const setSubjects = (subjects: unknown, isSubject: (subject: JsonMap) => boolean, value: Value): void => {
  if (subjects === undefined || subjects === null) return
  if (!Array.isArray(subjects)) throw new RenderError('subjects of a role binding must be a list')
  for (const subject of subjects.filter(isMap).filter(isSubject)) {
    const former = own(subject, 'namespace')
    if (isMap(former) || Array.isArray(former)) throw new RenderError('the namespace of a subject must be a scalar')
    put(subject, 'namespace', value(former))
  }
}

/** Skips the names of objects whose kind is named Namespace but is not of the core group. `metadata/namespace` is already set. */
const isFor = ({ path, kind = '' }: FieldSpec, resource: Resource): boolean =>
  path !== 'metadata/namespace' &&
  (path !== 'metadata/name' || nodeScalar(resource.fields.apiVersion) === 'v1') &&
  !(path === 'subjects/namespace' && isRoleBinding(kind) && isRoleBinding(resource.kind))

export const imaging = (image: Image, specs: readonly FieldSpec[]): Transform => {
  const set = imageSetter(image)
  return forEach(resource => {
    if (resource.kind === 'CustomResourceDefinition') return
    setInContainers(resource.fields, set)
    for (const spec of specs) visitFields(resource.fields, spec, { set })
  })
}

type Setter = (value: unknown) => unknown

const setInContainers = (value: unknown, set: Setter): void => {
  if (Array.isArray(value)) for (const element of value) setInContainers(element, set)
  if (!isMap(value)) return
  for (const [key, inner] of Object.entries(value)) {
    setInContainers(inner, set)
    if ((key === 'containers' || key === 'initContainers') && Array.isArray(inner)) setInEach(inner, set)
  }
}

const setInEach = (containers: readonly unknown[], set: Setter): void => {
  for (const container of containers) {
    if (container === null || container === undefined) continue
    if (!isMap(container)) throw new RenderError('a container must be a map')
    if (Object.hasOwn(container, 'image')) put(container, 'image', set(own(container, 'image')))
  }
}

const imageSetter = (image: Image): Setter => {
  const pattern = compiled(`^${image.name ?? ''}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`)
  return value => {
    if (value === null || value === undefined) return value
    if (typeof value === 'object') throw new RenderError('an image must be text')
    return pattern.matcher(String(value)).find() ? renamed(String(value), image) : value
  }
}

/** A new tag or digest replaces both the old tag and the old digest. */
const renamed = (reference: string, { newName, newTag, digest: newDigest, tagSuffix }: Image): string => {
  const { name, tag, digest } = split(reference)
  const suffixed = tagSuffix ? { tag: `${tag}${tagSuffix}`, digest: '' } : { tag, digest }
  const version = newTag || newDigest ? { tag: newTag ?? '', digest: newDigest ?? '' } : suffixed
  return `${newName || name}${version.tag && `:${version.tag}`}${version.digest && `@${version.digest}`}`
}

/** Splits an image reference. A colon before the first slash belongs to a port, not to a tag. */
const split = (reference: string): { name: string; tag: string; digest: string } => {
  const slash = Math.max(reference.indexOf('/'), 0)
  const [, path = '', tag = '', digest = ''] = /^([^:@]*)(?::([^@]*))?(?:@(.*))?$/s.exec(reference.slice(slash)) ?? []
  return { name: `${reference.slice(0, slash)}${path}`, tag, digest }
}
