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
    description: 'Whether every dependent is as it should be.',
  },
  {
    name: 'Revision',
    type: 'integer',
    jsonPath: '.status.revision',
    description: 'Counts what the component was made of.',
  },
  {
    name: 'Message',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].message',
    description: 'What it waits for, or what is wrong.',
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
    description: 'Objects that belong together, from a chart, a kustomization or a list, kept as declared.',
    descriptions,
    columns,
    spec: componentSpec,
    status: componentStatus,
  })
