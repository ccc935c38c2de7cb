// The desired sidecar: what istiod's injector creates from the wanted IstioOperator.
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { readYaml } from '../../../../shared/core/yaml/read.ts'
import { wantedOperator } from '../../desired/operator/wanted-operator.ts'
import type { World } from '../../world.ts'
import type { DesiredSidecar } from './stale-pod.ts'

/** `mesh`: ConfigMap istio-system/istio. undefined: there is no wanted IstioOperator; part installation reports why. */
export const desiredSidecar = (
  { istio, settings, facts }: World,
  mesh: KubeObject | undefined,
): DesiredSidecar | undefined => {
  const cluster = facts.installation?.cluster
  if (cluster === undefined) return undefined
  const wanted = wantedOperator({ spec: istio.spec, profiles: settings.profiles, cluster, installation: settings })
  if ('fault' in wanted) return undefined
  const { spec } = wanted.operator
  const proxy = mapOrEmpty(valueAt(spec, 'values', 'global', 'proxy'))
  return {
    image: isText(proxy.image) && proxy.image.includes('/') ? proxy.image : `${spec.hub}/proxyv2:${spec.tag}`,
    resources: mapOrEmpty(proxy.resources),
    metrics: { isMerged: valueAt(spec, 'meshConfig', 'enablePrometheusMerge') === true, port: statusPort(mesh) },
    hasCni: valueAt(spec, 'components', 'cni', 'enabled') !== false,
  }
}

const usualStatusPort = '15020'

const statusPort = (mesh: KubeObject | undefined): string => {
  const text = valueAt(mesh?.data, 'mesh')
  const config = isText(text) ? attempted(() => readYaml(text)) : undefined
  const port = config && 'read' in config ? valueAt(config.read, 'defaultConfig', 'statusPort') : undefined
  return typeof port === 'number' || isText(port) ? String(port) : usualStatusPort
}
