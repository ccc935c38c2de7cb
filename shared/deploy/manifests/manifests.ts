// Generates all files below manifests/. Each folder except `namespaces` and `grants` is a kustomization. `deploy/base` is part of each
// layout; `deploy/one-host`, `deploy/per-function` and `knative` are the layouts; `deploy` is the default layout. Objects are deleted in
// the same order as they are applied. Webhook configurations come first, because they would refuse all writes without a host.
import { componentCrd } from '../../api/component/crd.ts'
import type { CustomResourceDefinition } from '../../api/custom-resource.ts'
import { gardenCrd } from '../../api/garden/spec.ts'
import { istioCrd } from '../../api/istio/crd.ts'
import { kymaCrds } from '../../api/kyma/crds.ts'
import type { AdmissionSettings, Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { foreignAccess, grantedAccess, ownAccess } from '../access.ts'
import { admissionsOf, type EventOfFunction } from '../landscape/events.ts'
import { partLabels, webhookServiceName } from './conventions.ts'
import { base, type Files, knative, oneHost, ownNamespace, perFunction } from './layouts.ts'
import type { ManifestFile } from './manifest-files.ts'

/** `version`: the tag of the image. The image of a user's operator has the name of its service. */
export const deployManifests = (
  landscape: Landscape,
  version: string,
  kinds: readonly ManifestFile[] = customResources(),
): readonly ManifestFile[] => {
  const { service } = landscape
  const image = { name: 'espalier', ...(service !== 'espalier' && { newName: service }), newTag: version }
  const layout = { images: [image], sortOptions: { order: 'fifo' } } as const
  const webhooks = webhookFiles(landscape)
  const hasWebhooks = Object.keys(webhooks).length > 0
  return [
    ...definitions(kinds),
    ...folder('rbac', { namespace: [ownNamespace(landscape.provider.namespace)], ...ownAccess(landscape) }),
    ...separately('namespaces', foreignAccess(landscape)),
    ...separately('grants', grantedAccess(landscape)),
    ...(hasWebhooks ? folder('webhooks', webhooks, { others: policyFiles(landscape) }) : []),
    ...folder('deploy/base', base(landscape), {
      others: [...(hasWebhooks ? ['../../webhooks'] : []), '../../crds', '../../rbac'],
    }),
    ...folder('deploy/one-host', oneHost(landscape), { others: ['../base'], ...layout }),
    ...folder('deploy/per-function', perFunction(landscape), { others: ['../base'], ...layout }),
    ...folder('deploy', {}, { others: ['one-host'], sortOptions: layout.sortOptions }),
    ...folder('knative', knative(landscape), { others: ['../deploy/base'], ...layout }),
  ]
}

/** Whether the file is in git. The layouts with a host per function are generated for a release, into dist/manifests. */
export const isKept = ({ path }: ManifestFile): boolean => !/^(deploy\/per-function|knative)\//.test(path)

/** Manually written policies in the folder `webhooks`. */
export const policyFiles = ({ functions }: Landscape): readonly string[] =>
  'garden-reconcile' in functions ? ['garden-namespace.yaml', 'garden-secrets.yaml'] : []

/** Files of a folder without kustomization. Users apply single files. */
const separately = (path: string, files: Files): ManifestFile[] =>
  Object.entries(files).map(([name, objects]) => ({ path: `${path}/${name}.yaml`, source, objects }))

const definitions = (files: readonly ManifestFile[]): ManifestFile[] => {
  const resources = files.map(({ path }) => path.replace('crds/', ''))
  return [...files, { path: 'crds/kustomization.yaml', source, objects: [kustomization({ resources })] }]
}

/** One file for each name of a webhook configuration. A validating and a mutating configuration with the same name share a file. */
const webhookFiles = (landscape: Landscape): Files =>
  Object.fromEntries(Map.groupBy(webhookConfigurations(landscape), object => object.metadata.name))

type FolderParts = Pick<Kustomization, 'images' | 'sortOptions'> & { others?: readonly string[] }

const folder = (path: string, files: Files, { others = [], ...rest }: FolderParts = {}): ManifestFile[] => {
  const resources = [...others, ...Object.keys(files).map(name => `${name}.yaml`)]
  return [
    { path: `${path}/kustomization.yaml`, source, objects: [kustomization({ resources, ...rest })] },
    ...Object.entries(files).map(([name, objects]) => ({ path: `${path}/${name}.yaml`, source, objects })),
  ]
}

const source = 'serverless.yml'

type Kustomization = {
  /** Files and other folders, relative to the folder. */
  resources: readonly string[]
  images?: readonly { name: string; newName?: string; newTag: string }[]
  /** For folders that users apply. By default kubectl sorts webhook configurations last, also for deletion. */
  sortOptions?: { readonly order: 'fifo' }
}

const kustomization = (content: Kustomization): object => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  ...content,
})

/** One object per type and configuration name. Webhooks are in the order of serverless.yml. */
export const webhookConfigurations = (landscape: Landscape): KubeObject[] =>
  [...Map.groupBy(admissionsOf(landscape), ({ event }) => `${event.configuration} ${event.type}`).values()].flatMap(
    ([first, ...others]) =>
      first ? [webhookConfiguration([first, ...others], landscape.provider.namespace, first.event)] : [],
  )

const webhookConfiguration = (
  webhooks: readonly EventOfFunction<AdmissionSettings>[],
  namespace: string,
  { type, configuration }: AdmissionSettings,
): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: kinds[type],
  metadata: { name: configuration, labels: partLabels },
  webhooks: webhooks.map(({ name, event }) => webhook(event, { name: webhookServiceName(name), namespace })),
})

const kinds = { validating: 'ValidatingWebhookConfiguration', mutating: 'MutatingWebhookConfiguration' } as const

const webhook = (settings: AdmissionSettings, service: { name: string; namespace: string }) => ({
  name: settings.webhook,
  clientConfig: { service: { ...service, path: `/webhooks/${settings.path}`, port: 443 } },
  rules: settings.rules,
  failurePolicy: settings.failurePolicy,
  matchPolicy: settings.matchPolicy ?? 'Equivalent',
  namespaceSelector: selectorOf(settings, service.namespace),
  ...(settings.objectSelector ? { objectSelector: settings.objectSelector } : {}),
  ...(settings.matchConditions ? { matchConditions: settings.matchConditions } : {}),
  sideEffects: 'None',
  timeoutSeconds: settings.timeoutSeconds,
  admissionReviewVersions: ['v1', 'v1beta1'],
  ...(settings.type === 'mutating' ? { reinvocationPolicy: settings.reinvocationPolicy ?? 'Never' } : {}),
})

/** Excludes our namespace, because our Pods must be able to start when no webhook answers. */
const selectorOf = ({ namespaces }: AdmissionSettings, ours: string) => ({
  matchExpressions: [
    { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [ours] },
    ...(namespaces ? [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }] : []),
  ],
})

export const customResources = (): ManifestFile[] =>
  rows.map(({ definition, source }) => definitionFile(definition, source))

export const definitionFile = (definition: CustomResourceDefinition, source: string): ManifestFile => ({
  path: `crds/${fileName(definition)}`,
  source,
  objects: [definition],
})

const fileName = ({ metadata: { name } }: CustomResourceDefinition): string => {
  const [plural = '', ...group] = name.split('.')
  return `${group.join('.')}_${plural}.yaml`
}

const rows = [
  { definition: componentCrd(), source: 'shared/api/component/' },
  { definition: gardenCrd(), source: 'shared/api/garden/' },
  { definition: istioCrd(), source: 'shared/api/istio/' },
  ...kymaCrds().map(definition => ({ definition, source: 'shared/api/kyma/' })),
]
