// What sidecars should be like: as istiod's injector makes them from the wanted IstioOperator.
import { attempted } from '../../../../shared/core/decisions/reading.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isText, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { readYaml } from '../../../../shared/core/yaml/read.ts'
import { wantedOperator } from '../../desired/operator/wanted-operator.ts'
import type { World } from '../../world.ts'
import { lastChange } from '../resource-changes.ts'
import type { Noted } from './noted-targets.ts'
import { areFieldsChanging, wantedFields } from './restart-fields.ts'
import { wholeSeconds } from './restart-times.ts'
import type { SidecarWish } from './stale-pod.ts'

/** The wish without the times that depend on when the target was noted. */
type LastingWish = Omit<SidecarWish, 'fieldsChangedAt' | 'fieldsChangedFrom'>

/** `mesh`: ConfigMap istio-system/istio. undefined: the wanted IstioOperator cannot be computed; part installation reports why. */
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

/** The wish that the note in the status is about: when it changes, sidecars get a new note. */
export const sidecarsWanted = ({ istio }: World, wish: LastingWish) => ({
  ...wish,
  ...wantedFields('sidecars', istio),
})

/**
 * Adds which Pods were made with other fields. Fields are changing: all Pods made until the target was noted (`since`). The change was taken
 * back before it was in force: of these Pods only those made after it began. Example: trustDomain `a` becomes `b` at 10:00 and `a` again at
 * 10:05; only Pods made between 10:00 and 10:05 may have `b`.
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
