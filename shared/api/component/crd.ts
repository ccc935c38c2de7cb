// The CustomResourceDefinition of Component.
import { ageColumn, type Column, type CustomResourceDefinition, customResourceDefinition } from '../custom-resource.ts'
import descriptions from './descriptions.json' with { type: 'json' }
import { componentSpec } from './spec.ts'
import { componentStatus } from './status.ts'

const columns: readonly Column[] = [
  { name: 'State', type: 'string', jsonPath: '.status.state', description: 'Where it stands.' },
  {
    name: 'Ready',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: 'Whether all dependents are ready and up to date.',
  },
  {
    name: 'Revision',
    type: 'integer',
    jsonPath: '.status.revision',
    description: 'Number of different contents (source, values, references) that were applied so far.',
  },
  {
    name: 'Message',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].message',
    description: 'What the component waits for, or the error.',
  },
  ageColumn,
]

export const componentCrd = (): CustomResourceDefinition =>
  customResourceDefinition({
    group: 'core.espalier.dev',
    version: 'v1alpha1',
    kind: 'Component',
    plural: 'components',
    shortNames: ['comp'],
    scope: 'Namespaced',
    description:
      'A set of objects from a Helm chart, a kustomization or a list, which Espalier applies and keeps as declared.',
    descriptions,
    columns,
    spec: componentSpec,
    status: componentStatus,
  })
