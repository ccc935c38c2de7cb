// The kind CertManager. Besides namespace, name and additionalResources its spec has what the chart takes as values.
import {
  ageColumn,
  conditionColumn,
  customResourceDefinition,
  embeddedObject,
  list,
  options,
  raw,
  type Typed,
  text,
} from 'espalier/schema'

const spec = options({ namespace: text, name: text, additionalResources: list(embeddedObject) })

export type CertManagerSpec = Typed<typeof spec>

export const definition = customResourceDefinition({
  group: 'operator.kyma-project.io',
  version: 'v1alpha1',
  kind: 'CertManager',
  plural: 'certmanagers',
  scope: 'Namespaced',
  description: 'An installation of cert-manager.',
  columns: [conditionColumn('Ready', 'Ready', 'Whether it issues certificates.'), ageColumn],
  spec: { ...raw, ...spec },
  isSpecOptional: true,
  status: raw,
})
