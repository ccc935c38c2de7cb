// Decides when an operation starts, and changes the status in one patch, including rotations. After the patch, the tokens are removed from
// the annotation. If a call is killed in between, the status says that the operation has just started, so no token takes effect twice.
import { operationAnnotation, operationsOf } from '../../../shared/api/garden/operations.ts'
import type { EventNote, Plan, StatusChange, Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { oneShot, phaseOf, rotationTokens } from '../../../shared/core/objects/garden-rotation.ts'
import { hasFinalizer, refOf, refText } from '../../../shared/core/objects/object.ts'
import { gardenerVersion } from '../desired/parts/images.ts'
import { partText, reasons, texts } from '../reasons.ts'
import type { World } from '../world.ts'
import { fieldManager } from './flow.ts'
import { hasJustStarted, lastOperationOf, operationStatus, quietSeconds } from './last-operation.ts'
import { encryptingServers } from './rotation/encryption-moves.ts'
import { hasChangedResources, keyConfigOf, nextResources } from './rotation/encryption-state.ts'
import { isCompletionDue, rotationStart } from './rotation/phases.ts'
import { keyInFile } from './secrets/encryption-key.ts'
import { currentSecret, wantedSecret } from './secrets/existing-secrets.ts'
import { phasedRotation, secretConfig, secretConfigNames, wantedProvider } from './secrets/secret-configs.ts'
import { formerNamesAnnotation, formerNamesIn } from './secrets/secret-metadata.ts'
import { inheritedEvents, plantedEvents, plantedSecrets, type SecretOfConfig } from './secrets/unknown-secrets.ts'
import { isOfOther, keyConfigs } from './takeover.ts'

export const operatorFinalizer = 'gardener.cloud/operator'

/**
 * An operation starts for a new Garden, generation or version, after a takeover from another operator, for a token or a due rotation, or
 * after the sync period.
 */
export const isStartDue = (world: World, now: Date): boolean => {
  const { garden, settings } = world
  const operation = lastOperationOf(garden)
  return (
    operation?.type !== 'Reconcile' ||
    !hasFinalizer(garden, operatorFinalizer) ||
    garden.status?.observedGeneration !== garden.metadata.generation ||
    isOfOther(garden) ||
    garden.status?.gardener?.version !== gardenerVersion(settings) ||
    operationsOf(garden).length > 0 ||
    nextResources(garden) !== undefined ||
    (operation.state === 'Succeeded' && (isFollowedUp(world) || quietSeconds(operation, now) >= settings.syncSeconds))
  )
}

/** Whether another operation immediately follows a succeeded operation, because postponed work can begin. */
export const isFollowedUp = (world: World): boolean =>
  nextResources(world.garden) !== undefined ||
  hasChangedResources(world.garden) ||
  isCompletionDue(world.garden) ||
  hasOtherProvider(world)

/** Adds the finalizer before any object is created, so that a deletion leaves no object behind. */
export const startPlan = (world: World, now: Date): Plan => {
  const { garden, settings } = world
  const { change, refused } = rotationStart(garden, tokensOf(world), now)
  const after = rotated(world, change)
  const planted = plantedSecrets(world, after)
  if (planted.length > 0) return anotherSecond(planted)
  const isHeld = hasFinalizer(garden, operatorFinalizer)
  const steps: Step[] = isHeld
    ? annotationSteps(world, after)
    : [{ do: 'addFinalizer', target: garden, finalizer: operatorFinalizer }]
  const isFirst = !isHeld && garden.status?.gardener === undefined
  const operation = { type: 'Reconcile', state: 'Processing', progress: 0, description: texts.initialized } as const
  return {
    steps,
    status: {
      ...operationStatus(world, { ...operation, isStart: true }, now),
      gardener: { id: fieldManager, name: fieldManager, version: gardenerVersion(settings) },
      observedGeneration: garden.metadata.generation,
      ...advertisedAddresses(garden),
      ...(Object.keys(change).length > 0 && { credentials: { rotation: change } }),
    },
    events: [
      ...refused.slice(0, mostEvents).map(operationIgnored),
      ...(isFirst ? inheritedEvents(world, keyConfigs(world)) : []),
    ],
    next: { is: 'again' },
  }
}

/**
 * Secrets with the names of the new keys already exist. The names contain the second in which the rotation starts, so the rotation starts
 * in another second.
 */
const anotherSecond = (planted: readonly SecretOfConfig[]): Plan => ({
  ...{ steps: [], status: {}, events: plantedEvents(planted) },
  next: { is: 'waiting', seconds: 1, for: planted.map(({ secret }) => refText(refOf(secret))).join(', ') },
})

const rotated = (world: World, change: StatusChange): World => {
  const rotation = mergePatched(world.garden.status?.credentials?.rotation, change)
  return { ...world, garden: mergePatched(world.garden, { status: { credentials: { rotation } } }) as Garden }
}

/** The address of the virtual garden for its certificate and for the issuer of tokens. */
const advertisedAddresses = ({ spec: { virtualCluster } }: Garden): StatusChange => {
  const [domain] = virtualCluster.dns.domains ?? []
  return domain ? { advertisedAddresses: [{ name: 'virtual-garden', url: `https://api.${domain.name}` }] } : {}
}

/** The tokens of the annotation. A changed provider of the encryption keys counts as a token. */
const tokensOf = (world: World): readonly string[] => {
  const tokens = operationsOf(world.garden)
  const isAsked = tokens.some(token => rotationTokens.get(token)?.credentials.includes('etcdEncryptionKey'))
  return hasOtherProvider(world) && !isAsked ? [...tokens, oneShot] : tokens
}

/** The Garden names another provider than the provider of its encryption keys, and no rotation is in progress. */
const hasOtherProvider = (world: World): boolean =>
  ['', 'Completed'].includes(phaseOf(world.garden, 'etcdEncryptionKey')) &&
  encryptingServers.some(server => {
    const key = currentSecret(world, keyConfigOf(server))
    return key && keyInFile(key).provider !== wantedProvider(world.garden)
  })

/** Records which Secrets the starting rotations replace, and which resources the files of encryption keys must name. */
const annotationSteps = (world: World, after: World): Step[] => {
  const { garden } = world
  const names = replacedNames(world, after)
  const former = Object.keys(names).length > 0 && formerNamesAnnotation({ ...formerNamesIn(garden), ...names })
  const annotations = { ...former, ...nextResources(garden) }
  return Object.keys(annotations).length > 0
    ? [{ do: 'patch', target: garden, merge: { metadata: { annotations } } }]
    : []
}

/** For each Secret that a rotation creates, the name of the Secret that it replaces. */
const replacedNames = (world: World, after: World): Readonly<Record<string, string>> =>
  Object.fromEntries(
    secretConfigNames.flatMap(name => {
      if (!secretConfig(world, name).isOldKept || !phasedRotation(world, name)) return []
      const [former, next] = [currentSecret(world, name)?.metadata.name, wantedSecret(after, name)?.name]
      return former && next && former !== next ? [[next, former] as const] : []
    }),
  )

/** Without the admission webhook, an annotation may contain thousands of tokens. */
const mostEvents = 10

const operationIgnored = (token: string): EventNote => ({
  type: 'Warning',
  reason: reasons.operationIgnored,
  message: `operation ${partText(token)} is unknown or not possible now`,
})

/** Tokens that took effect at the start and are still in the annotation. A rotation's token that is permitted now was added later. */
export const takenTokens = (garden: Garden, now: Date): readonly string[] => {
  if (!hasJustStarted(garden)) return []
  const tokens = operationsOf(garden)
  const { refused } = rotationStart(garden, tokens, now)
  const dropped = new Set(refused)
  return tokens.filter(token => dropped.has(token) || !hasPhases(token))
}

/** `reconcile` and `rotate-observability-credentials` have no phases. They are always permitted: the started operation fulfils them. */
const hasPhases = (token: string): boolean => !['reconcile', 'rotate-observability-credentials'].includes(token)

/** The patch has the Garden's resourceVersion, so it fails with a conflict if a token is added at the same time. */
export const removalOfTokens = (garden: Garden, taken: readonly string[]): Step => {
  const gone = new Set(taken)
  const rest = operationsOf(garden).filter(token => !gone.has(token))
  const value = rest.length > 0 ? rest.join(';') : null
  return { do: 'patch', target: garden, merge: { metadata: { annotations: { [operationAnnotation]: value } } } }
}
