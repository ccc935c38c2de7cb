// spec of a Component.
import { about, defaulted, duration, flag, held, list, nonEmptyText, object, oneOf, raw, text } from '../schema.ts'
import { source } from './source.ts'

// Configuration fields of every component: target, identity, intervals and policies.

const kubeConfig = about(
  'The cluster that the dependents go to; the one of the component when absent.',
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
  deploymentNamespace: about(
    'Where dependents without a namespace go; the namespace of the component when absent.',
    text,
  ),
  deploymentName: about('What generators call the deployment; the name of the component when absent.', text),
  kubeConfig,
  impersonationUser: about('As whom dependents are read and written, and references read.', text),
  impersonationGroups: about('Groups of impersonationUser.', list(text)),
  serviceAccountName: about(
    'A service account in the namespace of the component, to impersonate instead; no groups beside it.',
    text,
  ),
  requeueInterval: about('How often a ready component is looked at again, 1s or more; 10m when absent.', duration),
  retryInterval: about(
    'When to try again after an error that may pass, 1s or more; requeueInterval when absent.',
    duration,
  ),
  timeout: about('How long dependents may be unready, 1s or more; requeueInterval when absent.', duration),
  adoptionPolicy: about(
    'What to do with objects that exist already; IfUnowned when absent.',
    oneOf('Never', 'IfUnowned', 'Always', 'never', 'if-unowned', 'always'),
  ),
  updatePolicy: about(
    'How dependents are written; Replace when absent.',
    oneOf('Replace', 'SsaMerge', 'SsaOverride', 'Recreate', 'replace', 'ssa-merge', 'ssa-override', 'recreate'),
  ),
  deletePolicy: about(
    'Whether dependents go with the component; Delete when absent.',
    oneOf('Delete', 'Orphan', 'delete', 'orphan'),
  ),
  createMissingNamespaces: about('Whether namespaces that are not there are made; true when absent.', flag),
  additionalManagedTypes: about(
    'Types whose instances hold up the deletion, as those of the CRDs among the dependents do.',
    { ...list(managedType), maxItems: 100 },
  ),
  suspend: about('Nothing is done while this is true, deletion excepted.', flag),
  reapplyInterval: about('When unchanged dependents are written again, 1s or more; 60m when absent.', duration),
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
    values: about('For the chart or the templates of the kustomization; they win over valuesFrom.', raw),
    valuesFrom: about('Values to be merged, in this order; each is a YAML document.', {
      ...list(valuesReference),
      maxItems: 100,
    }),
    ...configuration,
  },
)

const withoutManifests = (field: string) => ({
  rule: `!has(self.source.manifests) || !has(self.${field})`,
  message: 'manifests take no values',
  fieldPath: `.${field}`,
})

export const componentSpec = about(
  'What shall be there, and how.',
  held(
    fields,
    withoutManifests('values'),
    withoutManifests('valuesFrom'),
    {
      rule: '!(has(self.impersonationUser) && has(self.serviceAccountName))',
      message: 'only one of impersonationUser, serviceAccountName may be given',
      fieldPath: '.serviceAccountName',
    },
    {
      rule: '!has(self.serviceAccountName) || !has(self.impersonationGroups) || self.impersonationGroups.size() == 0',
      message: 'a service account is impersonated without impersonationGroups: it gets no more than it has',
      fieldPath: '.impersonationGroups',
    },
  ),
)
