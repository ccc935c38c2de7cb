// RoleBinding and ClusterRoleBinding: subjects' defaults, and roleRef that never changes.
import type { KubeObject } from '../../core/object.ts'
import { immutable, invalidValue, required, unsupported } from '../faults.ts'
import type { FieldFault } from '../status.ts'
import { same, textAt } from '../value.ts'
import { each, ensured, orElse } from './draft.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

export const roleBindingDefaults = (draft: KubeObject): void => {
  const reference = ensured(draft, 'roleRef')
  if (!reference.apiGroup) reference.apiGroup = rbacGroup
  for (const subject of each(draft, 'subjects'))
    if (subject.kind === 'User' || subject.kind === 'Group') orElse(subject, 'apiGroup', rbacGroup)
}

export const subjectFaults = (object: KubeObject): FieldFault[] => [
  ...roleRefFaults(object),
  ...each(object, 'subjects').flatMap((subject, index) => oneSubjectFaults(subject, `subjects[${index}]`)),
]

const roleRefFaults = (object: KubeObject): FieldFault[] => {
  const kinds = object.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole']
  const kind = textAt(object, 'roleRef', 'kind')
  return [
    ...(textAt(object, 'roleRef', 'apiGroup') === rbacGroup
      ? []
      : [unsupported('roleRef.apiGroup', textAt(object, 'roleRef', 'apiGroup'), [rbacGroup])]),
    ...(kinds.includes(kind) ? [] : [unsupported('roleRef.kind', kind, kinds)]),
    ...(textAt(object, 'roleRef', 'name') ? [] : [required('roleRef.name')]),
  ]
}

const oneSubjectFaults = (subject: Record<string, unknown>, path: string): FieldFault[] => {
  const kinds = ['Group', 'ServiceAccount', 'User']
  const isKnown = kinds.includes(String(subject.kind))
  return [
    ...(subject.name ? [] : [required(`${path}.name`)]),
    ...(isKnown ? [] : [unsupported(`${path}.kind`, subject.kind ?? '', kinds)]),
    ...(subject.kind === 'ServiceAccount' && !subject.namespace ? [required(`${path}.namespace`)] : []),
  ]
}

/** The API server prints its own struct here, whose fields have no JSON names. */
const goReference = (object: KubeObject): string =>
  JSON.stringify({
    APIGroup: textAt(object, 'roleRef', 'apiGroup'),
    Kind: textAt(object, 'roleRef', 'kind'),
    Name: textAt(object, 'roleRef', 'name'),
  })

/** Every rule names verbs, and either resources of API groups or, outside namespaces, paths. */
export const ruleFaults = (object: KubeObject): FieldFault[] =>
  each(object, 'rules').flatMap((rule, index) => oneRuleFaults(rule, `rules[${index}]`, object.kind === 'Role'))

const isGiven = (list: unknown): boolean => Array.isArray(list) && list.length > 0

const oneRuleFaults = (rule: Record<string, unknown>, path: string, isNamespaced: boolean): FieldFault[] => {
  const verbs = isGiven(rule.verbs) ? [] : [required(`${path}.verbs`, 'verbs must contain at least one value')]
  if (isGiven(rule.nonResourceURLs) && isNamespaced) {
    const why = 'namespaced rules cannot apply to non-resource URLs'
    return [...verbs, invalidValue(`${path}.nonResourceURLs`, rule.nonResourceURLs, why)]
  }
  if (isGiven(rule.nonResourceURLs)) return verbs
  return [
    ...verbs,
    ...(isGiven(rule.apiGroups)
      ? []
      : [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]),
    ...(isGiven(rule.resources)
      ? []
      : [required(`${path}.resources`, 'resource rules must supply at least one resource')]),
  ]
}

export const roleRefUpdateFaults = (object: KubeObject, before: KubeObject): FieldFault[] =>
  same(object.roleRef, before.roleRef)
    ? []
    : [
        {
          ...immutable('roleRef', object.roleRef),
          detail: `Invalid value: ${goReference(object)}: cannot change roleRef`,
        },
      ]
