// spec of a Component.
import { about, defaulted, duration, flag, held, list, nonEmptyText, object, oneOf, raw, text } from '../schema.ts'
import { source } from './source.ts'

// Configuration fields of every component: target, identity, intervals and policies.

const kubeConfig = about(
  'Target cluster of the dependents. Default: the cluster of the component.',
  object({
    secretRef: about(
      'A Secret in the namespace of the component. Without a key: value, value.yaml or value.yml.',
      object({ name: nonEmptyText }, { key: text }),
    ),
  }),
)

const managedType = object({
  group: about('API group: exact, * for all, or *.suffix.', text),
  kind: about('Kind: exact, or * for all.', nonEmptyText),
})

const configuration = {
  deploymentNamespace: about('Namespace of dependents that have none. Default: the namespace of the component.', text),
  deploymentName: about('Release name for generators. Default: the name of the component.', text),
  kubeConfig,
  impersonationUser: about('User that is impersonated to read and write dependents and to read references.', text),
  impersonationGroups: about('Groups of impersonationUser.', list(text)),
  serviceAccountName: about(
    'Service account in the namespace of the component that is impersonated instead of a user; excludes impersonationGroups.',
    text,
  ),
  requeueInterval: about('Time between two reconciliations of a ready component, at least 1s. Default: 10m.', duration),
  retryInterval: about(
    'Time until the next attempt after a temporary error, at least 1s. Default: requeueInterval.',
    duration,
  ),
  timeout: about('Time in which dependents must become ready, at least 1s. Default: requeueInterval.', duration),
  adoptionPolicy: about(
    'Whether to take over objects that already exist. Default: IfUnowned.',
    oneOf('Never', 'IfUnowned', 'Always', 'never', 'if-unowned', 'always'),
  ),
  updatePolicy: about(
    'How dependents are updated. Default: Replace.',
    oneOf('Replace', 'SsaMerge', 'SsaOverride', 'Recreate', 'replace', 'ssa-merge', 'ssa-override', 'recreate'),
  ),
  deletePolicy: about(
    'What happens to dependents when the component is deleted. Default: Delete.',
    oneOf('Delete', 'Orphan', 'delete', 'orphan'),
  ),
  createMissingNamespaces: about('Whether missing namespaces are created. Default: true.', flag),
  additionalManagedTypes: about(
    'Additional types whose instances block the deletion; instances of CRDs among the dependents always do.',
    { ...list(managedType), maxItems: 100 },
  ),
  suspend: about('true: pauses everything except the deletion of the component.', flag),
  reapplyInterval: about(
    'Time after which unchanged dependents are applied again, at least 1s. Default: 60m.',
    duration,
  ),
}

const valuesReference = object(
  { kind: oneOf('ConfigMap', 'Secret'), name: nonEmptyText },
  {
    key: defaulted(text, 'values.yaml'),
    optional: about('Whether the object may be absent.', flag),
  },
)

const fields = object(
  { source },
  {
    values: about('Values of the chart or of the templates of the kustomization. They override valuesFrom.', raw),
    valuesFrom: about('Sources of values, merged in this order; each value is a YAML document.', {
      ...list(valuesReference),
      maxItems: 100,
    }),
    ...configuration,
  },
)

const withoutManifests = (field: string) => ({
  rule: `!has(self.source.manifests) || !has(self.${field})`,
  message: 'spec.values and spec.valuesFrom cannot be used with spec.source.manifests',
  fieldPath: `.${field}`,
})

export const componentSpec = about(
  'Desired objects, and how to apply them.',
  held(
    fields,
    withoutManifests('values'),
    withoutManifests('valuesFrom'),
    {
      rule: '!(has(self.impersonationUser) && has(self.serviceAccountName))',
      message: 'only one of impersonationUser and serviceAccountName may be set',
      fieldPath: '.serviceAccountName',
    },
    {
      rule: '!has(self.serviceAccountName) || !has(self.impersonationGroups) || self.impersonationGroups.size() == 0',
      message: 'impersonationGroups cannot be set together with serviceAccountName',
      fieldPath: '.impersonationGroups',
    },
  ),
)
