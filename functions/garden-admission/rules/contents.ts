// Checks the ConfigMaps and Secrets in namespace garden that Gardens name. A content is a fault if an API server does not start with it.
import { isDeepStrictEqual } from 'node:util'
import { gardenNamespace } from '../../../shared/api/garden.ts'
import {
  type GardenConfiguration,
  gardenConfigurations,
  gardenKubeconfigs,
  kubeconfigKey,
} from '../../../shared/core/apiserver/garden-contents.ts'
import { kubeconfigFault } from '../../../shared/core/apiserver/kubeconfig-file.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'

const rowsOf = (webhook: string): readonly GardenConfiguration[] =>
  gardenConfigurations.filter(row => row.webhook === webhook)

type Named = { readonly row: GardenConfiguration; readonly name: string }

/** The ConfigMaps to check for a new Garden, or for an update that can change the result of the check. */
export const configurationsToJudge = (webhook: string, garden: Garden, before?: Garden): readonly Named[] => {
  if (isDeleting(garden) || isDeepStrictEqual(garden.spec, before?.spec)) return []
  return rowsOf(webhook).flatMap(row => {
    const name = row.name(garden)
    return name === undefined || (before && isJudged(row, garden, before)) ? [] : [{ row, name }]
  })
}

const isJudged = (row: GardenConfiguration, garden: Garden, before: Garden): boolean =>
  isDeepStrictEqual(judgedBy(row, garden), judgedBy(row, before))

const judgedBy = (row: GardenConfiguration, garden: Garden): readonly unknown[] => [
  row.name(garden),
  garden.spec.virtualCluster.kubernetes.version,
  row.facts(garden),
]

export const namedFault = (row: GardenConfiguration, garden: Garden, found: KubeObject | undefined) => {
  const name = row.name(garden)
  const place = `ConfigMap ${gardenNamespace}/${name}`
  if (!found) return `referenced ${place} does not exist: configmaps "${name}" not found`
  const missing = missingFault(row, found)
  if (missing !== undefined) return `error getting ${place}: ${missing}`
  const fault = row.fault(garden, textAt(row, found) ?? '')
  return fault === undefined ? undefined : `validation failed for ConfigMap ${name}: ${fault}`
}

type Change = { readonly object: KubeObject; readonly oldObject: KubeObject | null }

export const hasChanged = (webhook: string, { object, oldObject }: Change): boolean =>
  oldObject !== null && rowsOf(webhook).some(row => textAt(row, object) !== textAt(row, oldObject))

export const configMapFault = (webhook: string, { object }: Change, gardens: readonly Garden[]): string | undefined => {
  const { name, namespace } = object.metadata
  if (namespace !== gardenNamespace) return undefined
  const faults = gardens.flatMap(garden =>
    rowsOf(webhook)
      .filter(row => row.name(garden) === name)
      .flatMap(row => {
        const missing = missingFault(row, object)
        return missing === undefined
          ? (row.fault(garden, textAt(row, object) ?? '') ?? [])
          : `error getting ${row.purpose} from ConfigMap ${namespace}/${name}: ${missing}`
      }),
  )
  return faults[0]
}

const textAt = ({ key }: GardenConfiguration, { data }: KubeObject): string | undefined => {
  const text = mapOrEmpty(data)[key]
  return typeof text === 'string' ? text : undefined
}

const missingFault = (row: GardenConfiguration, configMap: KubeObject): string | undefined => {
  const text = textAt(row, configMap)
  if (text === undefined) return `missing ${row.purpose} key in ${row.key} ConfigMap data`
  return text === '' ? `${row.purpose} in ${row.key} key is empty` : undefined
}

export const hasNewKubeconfig = (object: KubeObject, oldObject: KubeObject): boolean =>
  mapOrEmpty(object.data)[kubeconfigKey] !== mapOrEmpty(oldObject.data)[kubeconfigKey]

/** Why this change of a Secret is refused. Messages contain no content of the Secret. */
export const kubeconfigRefusal = (secret: KubeObject, gardens: readonly Garden[]) => {
  const { name, namespace } = secret.metadata
  const uses = gardens.flatMap(garden =>
    gardenKubeconfigs(garden).flatMap(use => (use.name === name ? [{ use, garden: garden.metadata.name }] : [])),
  )
  if (namespace !== gardenNamespace || uses.length === 0) return undefined
  const text = secretText(secret, kubeconfigKey)
  if (text === '') {
    const users = [...new Set(uses.map(({ garden }) => garden))].join(', ')
    const why = `data kubeconfig can't be removed from secret or set to empty because secret is in use by gardens: [${users}]`
    return { code: 403, reason: 'Forbidden', message: `Secret "${name}" is forbidden: ${why}` }
  }
  const fault = uses.map(({ use }) => kubeconfigFault(use, text)).find(found => found !== undefined)
  const field = 'data.kubeconfig: Invalid value: "<omitted>"'
  return fault && { code: 422, reason: 'Invalid', message: `Secret "${name}" is invalid: ${field}: ${fault}` }
}
