// status of a Garden. garden-care writes its four conditions, and garden-reconcile the rest.
import { about, flag, int32, int64, list, object, options, type Schema, text, time } from '../schema.ts'
import { idle } from './parts.ts'

/** The type lists the words that we write. The schema allows any text, so that an older status never blocks a write. */
const word = <Word extends string>(): Schema<Word> => text as Schema<Word>

const condition = object(
  {
    type: text,
    status: word<ConditionStatus>(),
    reason: text,
    message: text,
    lastTransitionTime: time,
    lastUpdateTime: time,
  },
  { codes: list(text) },
)

const lastOperation = object({
  type: word<'Reconcile' | 'Delete'>(),
  state: word<'Processing' | 'Succeeded' | 'Error'>(),
  progress: int32,
  description: text,
  lastUpdateTime: time,
})

const rotation = {
  lastInitiationTime: time,
  lastInitiationFinishedTime: time,
  lastCompletionTriggeredTime: time,
  lastCompletionTime: time,
}
const phase = word<RotationPhase>()
const pendingWorkersRollouts = idle(list(object({ name: text }, { lastInitiationTime: time })))

const credentialsRotation = options({
  certificateAuthorities: object({ phase }, { ...rotation, pendingWorkersRollouts }),
  serviceAccountKey: object({ phase }, { ...rotation, pendingWorkersRollouts }),
  etcdEncryptionKey: object({ phase }, { ...rotation, autoCompleteAfterPrepared: flag }),
  observability: options({ lastInitiationTime: time, lastCompletionTime: time }),
  workloadIdentityKey: object({ phase }, rotation),
})

type ConditionStatus = 'True' | 'False' | 'Unknown' | 'Progressing'
export type RotationPhase = '' | 'Preparing' | 'Prepared' | 'Completing' | 'Completed'

export const gardenStatus = about(
  'Observed state of the Garden, and the last operation.',
  options({
    gardener: object({ id: text, name: text, version: text }),
    observedGeneration: int64,
    conditions: list(condition),
    lastOperation,
    credentials: options({
      rotation: credentialsRotation,
      encryptionAtRest: options({ provider: options({ type: text }), resources: list(text) }),
    }),
    encryptedResources: list(text),
    advertisedAddresses: list(object({ name: text, url: text })),
  }),
)
