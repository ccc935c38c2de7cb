// What the stand-in for istiod's injector puts into Pods: no Envoy, only what can be seen of a sidecar from outside (image, resources,
// variables, annotations), as the mesh's ConfigMaps say. istiod fills in a whole template instead.
import { type JsonMap, mapOrEmpty, mapsIn } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { readYaml } from '../../core/yaml/read.ts'
import { fieldsAt, textAt } from '../value.ts'

export type Sidecar = {
  readonly image: string
  readonly resources?: JsonMap
  /** Variables and their values. */
  readonly environment?: Readonly<Record<string, unknown>>
  /** Those of a sidecar are there without being named. */
  readonly annotations?: Readonly<Record<string, string>>
}

/** The Pod with that sidecar; one that has a proxy stays as it is. */
export const injected = (pod: KubeObject, sidecar: Sidecar): KubeObject => {
  const containers = mapsIn(mapOrEmpty(pod.spec).containers)
  if (containers.some(({ name }) => name === proxyName)) return pod
  const annotations = { 'sidecar.istio.io/status': '{}', ...sidecar.annotations, ...pod.metadata.annotations }
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...mapOrEmpty(pod.spec), containers: [...containers, proxy(sidecar)] },
  }
}

const proxyName = 'istio-proxy'

const proxy = ({ image, resources = {}, environment = {} }: Sidecar): JsonMap => ({
  name: proxyName,
  image,
  resources,
  env: Object.entries(environment).map(([name, value]) => ({ name, value: String(value) })),
})

/** As the ConfigMaps of the mesh say: istio-sidecar-injector, and istio. */
export const sidecarOfMesh = (injector: KubeObject, istio: KubeObject): Sidecar => {
  const global = fieldsAt(JSON.parse(textAt(injector, 'data', 'values')), 'global')
  const mesh = readYaml(textAt(istio, 'data', 'mesh'))
  const image = textAt(global, 'proxy', 'image')
  return {
    image: image.includes('/') ? image : `${textAt(global, 'hub')}/${image}:${textAt(global, 'tag')}`,
    resources: fieldsAt(global, 'proxy', 'resources'),
    environment: fieldsAt(mesh, 'defaultConfig', 'proxyMetadata'),
    annotations: mapOrEmpty(mesh).enablePrometheusMerge === false ? {} : mergedMetrics,
  }
}

const mergedMetrics = { 'prometheus.io/path': '/stats/prometheus', 'prometheus.io/port': '15020' }
