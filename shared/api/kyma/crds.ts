// The CustomResourceDefinitions of Kyma's kinds, and spec and status of the smallest, Watcher: which changes in runtimes are reported. Version
// v1beta1 of Watcher had no manager.
import { ageColumn, type Column, type CustomResourceDefinition, customResourceDefinition } from '../custom-resource.ts'
import { about, int64, type JsonSchema, labelSelector, mapOf, object, oneOf, text } from '../schema.ts'
import descriptions from './descriptions.json' with { type: 'json' }
import { formerKyma, kymaSpec, kymaStatus } from './kyma.ts'
import {
  formerManifestSpec,
  formerModuleTemplateSpec,
  manifestSpec,
  manifestStatus,
  moduleReleaseMetaSpec,
  moduleTemplateSpec,
} from './modules.ts'
import { kubernetesConditions, moduleState } from './shapes.ts'

const required = {
  field: about('Part of the object whose changes are reported.', oneOf('spec', 'status')),
  gateway: about('Gateways that receive the events.', object({ selector: labelSelector })),
  resourceToWatch: object({ group: text, version: text, resource: text }),
  serviceInfo: about('Service to which events are sent.', object({ name: text, namespace: text, port: int64 })),
}

const labelsToWatch = about('Labels that select the watched objects.', mapOf(text))

export const watcherSpec = about(
  'Defines which changes in runtimes are reported to the control plane.',
  object(required, {
    labelsToWatch,
    manager: about('Manager of the Watcher, part of the URL path of events. Default: the label managed-by.', text),
  }),
)

export const watcherStatus = object(
  { state: moduleState },
  { conditions: kubernetesConditions, observedGeneration: int64 },
)

const formerWatcherSpec: JsonSchema = object(required, { labelsToWatch })

const stateColumn: Column = {
  name: 'State',
  type: 'string',
  jsonPath: '.status.state',
  description: 'Where it stands.',
}

type Row = {
  kind: string
  plural: string
  description: string
  spec: JsonSchema
  status?: JsonSchema
  /** The differences in v1beta1. */
  former?: { spec: JsonSchema; status?: JsonSchema }
  shortNames?: readonly string[]
  columns?: readonly Column[]
}

const rows: readonly Row[] = [
  {
    kind: 'Kyma',
    plural: 'kymas',
    description: 'A Kyma runtime and the modules that its owner enabled.',
    spec: kymaSpec,
    status: kymaStatus,
    former: formerKyma,
    columns: [stateColumn],
  },
  {
    kind: 'Manifest',
    plural: 'manifests',
    description: 'A module in one runtime.',
    spec: manifestSpec,
    status: manifestStatus,
    former: { spec: formerManifestSpec },
    columns: [stateColumn],
  },
  {
    kind: 'ModuleReleaseMeta',
    plural: 'modulereleasemetas',
    shortNames: ['mrm'],
    description: 'The version of a module in each channel.',
    spec: moduleReleaseMetaSpec,
  },
  {
    kind: 'ModuleTemplate',
    plural: 'moduletemplates',
    shortNames: ['mt'],
    description: 'One released version of a module.',
    spec: moduleTemplateSpec,
    former: { spec: formerModuleTemplateSpec },
  },
  {
    kind: 'Watcher',
    plural: 'watchers',
    description: 'Defines which changes in runtimes are reported to the control plane.',
    spec: watcherSpec,
    status: watcherStatus,
    former: { spec: formerWatcherSpec },
  },
]

export const kymaCrds = (): readonly CustomResourceDefinition[] =>
  rows.map(({ former, columns = [], ...row }) =>
    customResourceDefinition({
      ...row,
      group: 'operator.kyma-project.io',
      version: 'v1beta2',
      scope: 'Namespaced',
      isSpecOptional: true,
      descriptions,
      columns: [...columns, ageColumn],
      ...(former && { formerVersions: [{ name: 'v1beta1', ...former }] }),
    }),
  )
