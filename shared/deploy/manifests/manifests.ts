// All generated files below manifests/ and their objects. Every folder but `crds` is a kustomization: `deploy/base` is part of every
// layout; `deploy/one-host`, `deploy/per-function` and `knative` are the layouts; `deploy` is the layout to begin with.
import type { Landscape } from '../../api/serverless.ts'
import { accounts } from '../access/accounts.ts'
import { customResources } from './custom-resources.ts'
import { type Kustomization, kustomization } from './kustomization.ts'
import { base, type Files, knative, oneHost, perFunction } from './layouts.ts'
import { webhookConfigurations } from './webhook-configurations.ts'
import type { ManifestFile } from './yaml-text.ts'

/** All generated files. `version` is the tag of the image. */
export const deployManifests = (landscape: Landscape, version: string): readonly ManifestFile[] => {
  const images = [{ name: 'espalier', newTag: version }]
  const webhooks = webhookFiles(landscape)
  const hasWebhooks = Object.keys(webhooks).length > 0
  return [
    ...customResources(),
    ...folder('rbac', accounts(landscape)),
    ...(hasWebhooks ? folder('webhooks', webhooks) : []),
    ...folder('deploy/base', base(landscape), { others: ['../../rbac', ...(hasWebhooks ? ['../../webhooks'] : [])] }),
    ...folder('deploy/one-host', oneHost(landscape), { others: ['../base'], images }),
    ...folder('deploy/per-function', perFunction(landscape), { others: ['../base'], images }),
    ...folder('deploy', {}, { others: ['one-host'] }),
    ...folder('knative', knative(landscape), { others: ['../deploy/base'], images }),
  ]
}

/** Files by the name of the configuration; the validating and the mutating one of a name stand together. */
const webhookFiles = (landscape: Landscape): Files =>
  Object.fromEntries(Map.groupBy(webhookConfigurations(landscape), object => object.metadata.name))

type FolderParts = Pick<Kustomization, 'images'> & { others?: readonly string[] }

const folder = (path: string, files: Files, { others = [], ...rest }: FolderParts = {}): ManifestFile[] => {
  const resources = [...others, ...Object.keys(files).map(name => `${name}.yaml`)]
  return [
    { path: `${path}/kustomization.yaml`, source, objects: [kustomization({ resources, ...rest })] },
    ...Object.entries(files).map(([name, objects]) => ({ path: `${path}/${name}.yaml`, source, objects })),
  ]
}

const source = 'serverless.yml'
