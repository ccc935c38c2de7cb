// RoleBinding and ClusterRoleBinding: subjects' defaults, and roleRef that never changes.
import type { KubeObject } from '../../core/object.ts'
import { immutable, required, unsupported } from '../faults.ts'
import type { FieldFault } from '../status.ts'
import { same, textAt } from '../value.ts'
import { each, ensured, orElse } from './draft.ts'

export const rbacGroup = 'rbac.authorization.k8s.io'

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
  const kinds = object.kind === 'RoleBinding' ? ['ClusterRole', 'Role'] : ['ClusterRole']
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

export const roleRefUpdateFaults = (object: KubeObject, before: KubeObject): FieldFault[] =>
  same(object.roleRef, before.roleRef)
    ? []
    : [
        {
          ...immutable('roleRef', object.roleRef),
          detail: `Invalid value: ${JSON.stringify(object.roleRef)}: cannot change roleRef`,
        },
      ]
