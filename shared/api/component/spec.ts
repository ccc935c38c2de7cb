// spec of a Component.
import { about, defaulted, flag, held, list, nonEmptyText, object, oneOf, raw, text } from '../schema.ts'
import { configuration } from './configuration.ts'
import { source } from './source.ts'

const valuesReference = object(
  { kind: oneOf('ConfigMap', 'Secret'), name: nonEmptyText },
  {
    key: defaulted(text, 'values.yaml'),
    optional: about('Whether it may be absent.', flag),
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
