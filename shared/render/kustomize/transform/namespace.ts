// Sets the namespace of namespaced objects and of subjects of role bindings.
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { type FieldSpec, textSetter, visitFields } from '../fields/field-spec.ts'
import { nodeScalar } from '../files/documents.ts'
import type { Resource } from '../objects/resource.ts'
import { refuseTwins } from '../objects/resources.ts'
import type { Transform } from './transformer.ts'

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
