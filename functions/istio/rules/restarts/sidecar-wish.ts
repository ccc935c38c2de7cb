// What sidecars are to be like: as the injector makes them of the IstioOperator that is wanted.
import { valueAt } from '../../../../shared/core/fields.ts'
import { isText, mapOrEmpty } from '../../../../shared/core/json.ts'
import type { KubeObject } from '../../../../shared/core/object.ts'
import { attempted } from '../../../../shared/core/reading.ts'
import { readYaml } from '../../../../shared/core/yaml/read.ts'
import { wantedOperator } from '../../desired/operator/wanted-operator.ts'
import type { World } from '../../world.ts'
import { lastChange } from '../resource-changes.ts'
import { areFieldsChanging, wantedFields } from './fields.ts'
import type { SidecarWish } from './stale-pod.ts'
import type { Noted } from './targets.ts'
import { wholeSeconds } from './times.ts'

/** Without what time has to do with it. */
type LastingWish = Omit<SidecarWish, 'fieldsChangedAt' | 'fieldsChangedFrom'>

/** `mesh`: ConfigMap istio. undefined: what is wanted cannot be had, which the installation tells. */
export const lastingWish = (world: World, mesh: KubeObject | undefined): LastingWish | undefined => {
  const { istio, settings, facts } = world
  const cluster = facts.installation?.cluster
  if (settings.profiles === undefined || cluster === undefined) return undefined
  const wanted = wantedOperator({ spec: istio.spec, profiles: settings.profiles, cluster, installation: settings })
  if ('fault' in wanted) return undefined
  const { spec } = wanted.operator
  const proxy = mapOrEmpty(valueAt(spec, 'values', 'global', 'proxy'))
  return {
    image: isText(proxy.image) && proxy.image.includes('/') ? proxy.image : `${spec.hub}/proxyv2:${spec.tag}`,
    resources: mapOrEmpty(proxy.resources),
    metrics: { isMerged: valueAt(spec, 'meshConfig', 'enablePrometheusMerge') === true, port: statusPort(mesh) },
    hasCni: valueAt(spec, 'components', 'cni', 'enabled') !== false,
    resourceChangedAt: facts.resources && wholeSeconds(lastChange('sidecars', facts.resources)),
  }
}

/** What the target of sidecars is noted by. */
export const sidecarsWanted = ({ istio }: World, wish: LastingWish) => ({
  ...wish,
  ...wantedFields('sidecars', istio),
})

/**
 * What was made until the target was noted was made before fields changed, if any did. Of a change that was taken back, only what was made
 * since it began may have it.
 */
export const sidecarWish = (world: World, wish: LastingWish, { since, ended }: NotedNow): SidecarWish => ({
  ...wish,
  ...(areFieldsChanging('sidecars', world.istio) && { fieldsChangedAt: since }),
  ...(ended && { fieldsChangedAt: since, fieldsChangedFrom: ended.begunAt }),
})

type NotedNow = Extract<Noted, { is: 'noted' }>

const usualStatusPort = '15020'

const statusPort = (mesh: KubeObject | undefined): string => {
  const text = valueAt(mesh?.data, 'mesh')
  const config = isText(text) ? attempted(() => readYaml(text)) : undefined
  const port = config && 'read' in config ? valueAt(config.read, 'defaultConfig', 'statusPort') : undefined
  return typeof port === 'number' || isText(port) ? String(port) : usualStatusPort
}
