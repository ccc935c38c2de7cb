// Kymas and what they need: ten modules with their layers, releases, Kymas that list some of them, and access Secrets.
import { stringify } from 'yaml'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { kubeconfig } from '../../tests/harness/clients/kubeconfig.ts'
import { accessSecret, kyma, moduleReleaseMeta, moduleTemplate } from '../../tests/make/kyma/kyma.ts'

export const modules = Array.from({ length: 10 }, (_, n) => `module-${'abcdefghij'.charAt(n).repeat(3)}`)
export const firstVersion = '1.2.3'
const repository = (module: string) => `bench.example/module/${module}`

/** What a module brings: an account, its settings, and what runs. */
export const layerOf = (module: string, version = firstVersion): string =>
  [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: module } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: module }, data: { text: 'x'.repeat(500) } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: module },
      spec: {
        selector: { matchLabels: { app: module } },
        template: {
          metadata: { labels: { app: module } },
          spec: { serviceAccountName: module, containers: [{ name: module, image: `${module}:${version}` }] },
        },
      },
    },
  ]
    .map(object => stringify(object))
    .join('---\n')

export const objectsOfModule = 3

/** The registry's path of its layers, below `component-descriptors/`. */
export const layersOf = (module: string): string => repository(module)

/** The release of a module, whose layer has this digest. */
export const releaseOf = (
  module: string,
  digest: string,
  version = firstVersion,
): readonly [KubeObject, KubeObject] => [
  moduleTemplate({
    metadata: { name: `${module}-${version}` },
    spec: { moduleName: module, version, descriptor: { component: componentOf(module, digest, version) } },
  }),
  moduleReleaseMeta({
    metadata: { name: module },
    spec: { moduleName: module, channels: [{ channel: 'regular', version }] },
  }),
]

/** With as much beside it as real ones have. */
const componentOf = (module: string, digest: string, version: string) => ({
  name: repository(module),
  version,
  provider: 'bench',
  sources: [],
  repositoryContexts: [{ baseUrl: 'registry.example', componentNameMapping: 'urlPath', type: 'OCIRegistry' }],
  resources: [
    {
      name: 'raw-manifest',
      type: 'directory',
      relation: 'local',
      version,
      access: { type: 'localBlob', localReference: digest, mediaType: 'application/octet-stream' },
      digest: { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'genericBlobDigest/v1', value: digest.slice(7) },
    },
  ],
  labels: Array.from({ length: 20 }, (_, n) => ({ name: `bench.example/label-${n}`, value: 'y'.repeat(60) })),
})

export type Reach = { readonly port: number; readonly caData: string }

export const runtimeOf = (n: number): string => `rt-${n}`

/** The Kyma of this number with so many modules, and the Secret that leads to its runtime. */
export const kymaOf = (n: number, count: number, { port, caData }: Reach): readonly [KubeObject, KubeObject] => {
  const name = runtimeOf(n)
  const endpoint = { url: `https://127.0.0.1:${port}/${name}`, caData }
  const text = kubeconfig(endpoint, { token: 'the-proxy-asks-for-none' }).replace(
    'context:',
    `context:\n      namespace: ${name}`,
  )
  const labels = { 'kyma-project.io/runtime-id': name, 'kyma-project.io/instance-id': name }
  const annotations = { [kymaNames.annotations.skrDomain]: `${name}.bench.example` }
  const chosen = Array.from({ length: count }, (_, m) => ({ name: modules[(n + m) % modules.length] ?? '' }))
  return [
    kyma({ metadata: { name, labels, annotations }, spec: { modules: chosen, remote: { namespace: name } } }),
    accessSecret(name, text, `access-${name}`),
  ]
}
