// RoleBinding and ClusterRoleBinding: defaults of their subjects, and roleRef, which cannot change. Also checks rules.
import type { KubeObject } from '../../core/objects/object.ts'
import { rbacGroup } from '../authorization/rbac.ts'
import { subdomainFaults } from '../names.ts'
import { type FieldFault, faultsIn, immutable, invalidValue, required, unlisted, unsupported } from '../status.ts'
import { fieldsAt, type JsonMap, mapsAt, sameJson, textAt } from '../value.ts'
import { ensured, fill, type Traits } from './trait.ts'

const roleBindingDefaults = (draft: KubeObject): void => {
  const reference = ensured(draft, 'roleRef')
  if (!reference.apiGroup) reference.apiGroup = rbacGroup
  for (const subject of mapsAt(draft, 'subjects'))
    if (subject.kind === 'User' || subject.kind === 'Group') fill(subject, { apiGroup: rbacGroup })
}

const subjectFaults = (object: KubeObject): FieldFault[] => [
  ...roleRefFaults(object),
  ...mapsAt(object, 'subjects').flatMap((subject, index) =>
    oneSubjectFaults(subject, { path: `subjects[${index}]`, isNamespaced: object.kind === 'RoleBinding' }),
  ),
]

const roleRefFaults = (object: KubeObject): FieldFault[] => {
  const kinds = object.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole']
  return faultsIn(
    unlisted('roleRef.apiGroup', textAt(object, 'roleRef', 'apiGroup'), [rbacGroup]),
    unlisted('roleRef.kind', textAt(object, 'roleRef', 'kind'), kinds),
    !textAt(object, 'roleRef', 'name') && required('roleRef.name'),
  )
}

type Place = { readonly path: string; readonly isNamespaced: boolean }

const oneSubjectFaults = (subject: JsonMap, place: Place): FieldFault[] => {
  const { kind = '', name } = subject
  const faults = subjectKinds.get(kind)?.(subject, place)
  const unknown = () => unsupported(`${place.path}.kind`, kind, [...subjectKinds.keys()])
  return faultsIn(!name && required(`${place.path}.name`), faults ?? unknown())
}

type SubjectRule = (subject: JsonMap, place: Place) => FieldFault[]

const person: SubjectRule = ({ apiGroup = '' }, { path }) =>
  faultsIn(unlisted(`${path}.apiGroup`, apiGroup, [rbacGroup]))

/** A service account without a namespace is in the namespace of its binding. */
const account: SubjectRule = ({ name, apiGroup, namespace }, { path, isNamespaced }) =>
  faultsIn(
    name ? subdomainFaults(String(name)).map(why => invalidValue(`${path}.name`, name, why)) : false,
    apiGroup ? unsupported(`${path}.apiGroup`, apiGroup, ['']) : false,
    !namespace && !isNamespaced && required(`${path}.namespace`),
  )

const subjectKinds: ReadonlyMap<unknown, SubjectRule> = new Map([
  ['ServiceAccount', account],
  ['User', person],
  ['Group', person],
])

/** The reference as Go prints a struct, as in the API server's message. Its fields do not have JSON names. */
const goReference = (object: KubeObject): string =>
  JSON.stringify({
    APIGroup: textAt(object, 'roleRef', 'apiGroup'),
    Kind: textAt(object, 'roleRef', 'kind'),
    Name: textAt(object, 'roleRef', 'name'),
  })

/** Every rule needs verbs, and either resources of API groups or, in a ClusterRole, paths. */
export const rbacRuleFaults = (object: KubeObject): FieldFault[] =>
  mapsAt(object, 'rules').flatMap((rule, index) =>
    oneRuleFaults(rule, { path: `rules[${index}]`, isNamespaced: object.kind === 'Role' }),
  )

const isGiven = (list: unknown): boolean => Array.isArray(list) && list.length > 0

const oneRuleFaults = (rule: JsonMap, place: Place): FieldFault[] =>
  faultsIn(
    !isGiven(rule.verbs) && required(`${place.path}.verbs`, 'verbs must contain at least one value'),
    isGiven(rule.nonResourceURLs) ? pathFaults(rule, place) : resourceFaults(rule, place),
  )

const pathFaults = ({ nonResourceURLs, ...rule }: JsonMap, { path, isNamespaced }: Place): FieldFault[] => {
  const isMixed = ['apiGroups', 'resources', 'resourceNames'].some(field => isGiven(rule[field]))
  return [
    ...(isNamespaced ? ['namespaced rules cannot apply to non-resource URLs'] : []),
    ...(isMixed ? ['rules cannot apply to both regular resources and non-resource URLs'] : []),
  ].map(why => invalidValue(`${path}.nonResourceURLs`, nonResourceURLs, why))
}

const resourceFaults = ({ apiGroups, resources }: JsonMap, { path }: Place): FieldFault[] =>
  faultsIn(
    !isGiven(apiGroups) && required(`${path}.apiGroups`, 'resource rules must supply at least one api group'),
    !isGiven(resources) && required(`${path}.resources`, 'resource rules must supply at least one resource'),
  )

export const clusterRoleFaults = (object: KubeObject): FieldFault[] => {
  const gathering = fieldsAt(object, 'aggregationRule')
  const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil'
  return faultsIn(
    rbacRuleFaults(object),
    gathering && !isGiven(gathering.clusterRoleSelectors) && required('aggregationRule.clusterRoleSelectors', why),
  )
}

const roleRefUpdateFaults = (object: KubeObject, before: KubeObject): FieldFault[] =>
  sameJson(object.roleRef, before.roleRef)
    ? []
    : [{ ...immutable('roleRef', ''), detail: `Invalid value: ${goReference(object)}: cannot change roleRef` }]

export const roleBindingTraits: Traits = {
  defaults: roleBindingDefaults,
  faults: subjectFaults,
  updateFaults: roleRefUpdateFaults,
}
