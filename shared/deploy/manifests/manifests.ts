// All generated files below manifests/ and their objects. Every folder but `namespaces` and `grants` is a kustomization: `deploy/base` is part of every
// layout; `deploy/one-host`, `deploy/per-function` and `knative` are the layouts; `deploy` is the layout to begin with. What is applied in
// this order is deleted in this order too: first the webhook configurations, which refuse everything when nobody answers.
import type { Landscape } from '../../api/serverless.ts'
import { foreignAccess, grantedAccess, ownAccess } from '../access/accounts.ts'
import { customResources } from './custom-resources.ts'
import { base, type Files, knative, oneHost, perFunction } from './layouts.ts'
import { ownNamespace } from './namespace.ts'
import { webhookConfigurations } from './webhook-configurations.ts'
import type { ManifestFile } from './yaml-text.ts'

/** All generated files. `version` is the tag of the image, which an operator of one's own calls by its service. */
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

/** Whether git keeps the file in manifests/. The layouts with a host for each function are generated for a release, into dist/manifests. */
export const isKept = ({ path }: ManifestFile): boolean => !/^(deploy\/per-function|knative)\//.test(path)

/** Policies that people wrote, in the folder `webhooks`. */
export const policyFiles = ({ functions }: Landscape): readonly string[] =>
  'garden-reconcile' in functions ? ['garden-namespace.yaml', 'garden-secrets.yaml'] : []

/** Files of a folder that is no kustomization: people apply those that they need. */
const separately = (path: string, files: Files): ManifestFile[] =>
  Object.entries(files).map(([name, objects]) => ({ path: `${path}/${name}.yaml`, source, objects }))

const definitions = (files: readonly ManifestFile[]): ManifestFile[] => {
  const resources = files.map(({ path }) => path.replace('crds/', ''))
  return [...files, { path: 'crds/kustomization.yaml', source, objects: [kustomization({ resources })] }]
}

/** Files by the name of the configuration; the validating and the mutating one of a name are in one file. */
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
  /** Files of the folder, and other folders, relative to it. */
  resources: readonly string[]
  images?: readonly { name: string; newName?: string; newTag: string }[]
  /** Of a folder that people apply. kubectl would sort webhook configurations behind everything else, when it deletes too. */
  sortOptions?: { readonly order: 'fifo' }
}

const kustomization = (content: Kustomization): object => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  ...content,
})
