// A Garden that another operator reconciled, such as gardener-operator. Its keys are kept, whatever their names are. Only the first pass,
// before our first operation, searches for these keys: later, any user who may create Secrets could offer another key.
import type { EventNote, Plan, Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { phaseOf } from '../../../shared/core/objects/garden-rotation.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { reasons } from '../reasons.ts'
import type { World } from '../world.ts'
import { fieldManager } from './flow.ts'
import { currentSecret, generatedSecrets, unreplaced } from './secrets/existing-secrets.ts'
import { phasedRotation, type SecretConfigName, secretConfig, secretConfigNames } from './secrets/secret-configs.ts'
import { annotated, generatedName, successionMark, takenOver, takenOverPatch } from './secrets/secret-metadata.ts'

/** Whether another operator wrote the status last. */
export const isOfOther = ({ status }: Garden): boolean =>
  status?.gardener !== undefined && status.gardener.name !== fieldManager

/** What Espalier must write, or a user must correct, before an operation starts. undefined: nothing. */
export const takeoverPlan = (world: World): Omit<Plan, 'status'> | undefined => {
  if (!isOfOther(world.garden)) return undefined
  const found = keyConfigs(world).map(name => ({ name, checksums: checksumsOf(world, name) }))
  const unclear = found.flatMap(({ name, checksums }) =>
    checksums.length > 1 ? [faultOf(world, name, checksums)] : [],
  )
  if (unclear.length > 0) return stopped(unclear)
  const checksums = Object.fromEntries(found.flatMap(({ name, checksums: [one] }) => (one ? [[name, one]] : [])))
  const after = inheriting(world, checksums)
  const young = youngFaults(world, after)
  if (young.length > 0) return stopped(young)
  const steps = [...gardenSteps(world, after), ...keyConfigs(world).flatMap(name => replacedSteps(after, name))]
  const events = Object.keys(checksums).flatMap(name => stayEvents(after, name as SecretConfigName))
  return steps.length > 0 ? { steps, events, next: { is: 'again' } } : undefined
}

const keyKinds: readonly string[] = ['authority', 'rsaKey', 'encryptionKey', 'basicAuth']

/** Users of these keys and passwords must find them unchanged. Certificates and tokens are created again from the keys. */
export const keyConfigs = (world: World): readonly SecretConfigName[] =>
  secretConfigNames.filter(name => keyKinds.includes(secretConfig(world, name).make))

/** Checksums in the keys' labels, ignoring Secrets whose name contradicts the labels. Several checksums: the key in use is unknown. */
const checksumsOf = (world: World, name: SecretConfigName): readonly string[] => {
  const all = [...new Set(secretsOf(world, name).map(checksumOf))]
  const current = all.filter(checksum => currentSecret(inheriting(world, { [name]: checksum }), name))
  return current.length > 0 ? current : all
}

const secretsOf = (world: World, config: SecretConfigName): readonly KubeObject[] =>
  generatedSecrets(world).filter(secret => {
    const { name, labels } = secret.metadata
    const rotationTime = labels?.['last-rotation-initiation-time']
    return labels?.name === config && name === generatedName({ config, checksum: checksumOf(secret), rotationTime })
  })

/**
 * Before gardener-operator reports Succeeded, it deletes Secrets that have its labels but that it did not create. A younger Secret may
 * therefore be from any user. A Garden that is younger than its own status was restored from a backup, together with its Secrets. Times are
 * in whole seconds.
 */
const youngFaults = (world: World, after: World): readonly string[] => {
  const { metadata, status: { gardener, lastOperation: { state, lastUpdateTime = '' } = {} } = {} } = world.garden
  const isRestored = (metadata.creationTimestamp ?? '') > lastUpdateTime
  if (state !== 'Succeeded' || lastUpdateTime === '' || isRestored) return []
  const all = keyConfigs(world).flatMap(name => {
    const named = new Set([...secretsOf(world, name), ...[currentSecret(after, name)].filter(one => one !== undefined)])
    return [...named].map(secret => ({ name, secret }))
  })
  const young = all.filter(({ secret }) => (secret.metadata.creationTimestamp ?? '') >= lastUpdateTime)
  return young.map(
    ({ name, secret }) =>
      `${refText(refOf(secret))}: was created after the last reconciliation by ${gardener?.name}, so it may not be the ${name} of the Garden: let gardener-operator reconcile once more; it deletes Secrets that it did not create`,
  )
}

const checksumOf = ({ metadata }: KubeObject): string => metadata.labels?.['checksum-of-config'] ?? ''

const inheriting = (world: World, checksums: Readonly<Record<string, string>>): World => {
  const patch = takenOverPatch({ until: world.garden.status?.lastOperation?.lastUpdateTime ?? '', checksums })
  return { ...world, garden: mergePatched(world.garden, patch) as Garden }
}

const gardenSteps = (world: World, after: World): Step[] => {
  const kept = takenOver(after.garden)
  const isKept = JSON.stringify(takenOver(world.garden)) === JSON.stringify(kept)
  return isKept ? [] : [{ do: 'patch', target: world.garden, merge: { ...takenOverPatch(kept) } }]
}

/** The former operator has prepared the rotation, so the former key is no longer needed. A mark on the Secrets must say this. */
const replacedSteps = (world: World, name: SecretConfigName): Step[] => {
  const credential = phasedRotation(world, name)
  const isPrepared = credential && ['Prepared', 'Completing'].includes(phaseOf(world.garden, credential))
  const [current, [former]] = [currentSecret(world, name), isPrepared ? unreplaced(world, name) : []]
  return current && former ? [annotated(current, successionMark('replaces', former.metadata.name))] : []
}

const stayEvents = (world: World, name: SecretConfigName): EventNote[] => {
  const secret = currentSecret(world, name)
  const message = `stays the ${name} of the Garden, which ${world.garden.status?.gardener?.name} reconciled before`
  if (!secret) return []
  const text = `${refText(refOf(secret))}: ${message}`
  return [{ type: 'Normal', reason: reasons.secretAdopted, message: text, occasion: secret.metadata.uid }]
}

const faultOf = (world: World, name: SecretConfigName, checksums: readonly string[]): string => {
  const secrets = secretsOf(world, name).filter(secret => checksums.includes(checksumOf(secret)))
  const names = secrets.map(secret => refText(refOf(secret))).sort()
  return `${names.join(', ')}: only one can be the ${name} of the Garden; delete those that are not in use`
}

/** A limit, because a user who may create Secrets can create any number of Secrets. */
const mostFaults = 10

const stopped = (all: readonly string[]): Omit<Plan, 'status'> => {
  const faults = all.slice(0, mostFaults)
  return { steps: [], events: faults.map(unclearEvent), next: waitingFor(faults) }
}

const unclearEvent = (message: string): EventNote => ({ type: 'Warning', reason: reasons.unknownSecret, message })

const waitingFor = (faults: readonly string[]): Plan['next'] => ({ is: 'waiting', seconds: 60, for: faults.join('; ') })
