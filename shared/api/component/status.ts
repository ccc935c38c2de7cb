// status of a Component: the engine's data between calls, and information for users.
import { about, defaulted, int32, int64, list, object, oneOf, options, raw, text, time } from '../schema.ts'

const condition = object({
  type: text,
  status: oneOf('True', 'False', 'Unknown'),
  reason: text,
  message: text,
  lastTransitionTime: time,
})

/**
 * The items have a description, but no schema. Only the engine writes them, and with a schema the API server would check each field of each
 * item in each write: two thirds more work with a thousand dependents.
 */
export const dependentsInventory = about(
  [
    'The dependents: version, kind and name of each and, unless it is at its default, group, namespace, adoptionPolicy,',
    'reconcilePolicy, updatePolicy, deletePolicy, applyOrder, deleteOrder, managedTypes ({group, version, kind}), digest,',
    'fingerprint, phase, status and lastAppliedAt.',
  ].join(' '),
  list(raw),
)

const neverObserved = -1

/** The engine's own data, without the inventory. */
export const engineStatus = {
  observedGeneration: defaulted(int64, neverObserved),
  appliedGeneration: about('The last generation that was Ready.', int64),
  revision: about('Number of different contents (source, values, references) that were applied so far.', int64),
  lastObservedAt: time,
  lastAppliedAt: time,
  processingSince: about('Time at which the timeout started to count.', time),
  revisionAt: about('Time that templates use as the current time.', time),
  processingDigest: about('Digest of the content that is being applied.', text),
  lastProcessingDigest: about('The digest last counted in revision.', text),
  state: oneOf('Pending', 'Processing', 'Ready', 'Error', 'DeletionPending', 'Deleting'),
  conditions: list(condition),
  deleteHooks: about('Number of rendered objects that are applied only during deletion.', int32),
} as const

const fields = options({
  ...engineStatus,
  source: about('The artifact that is in use.', options({ digest: text, version: text })),
  inventory: dependentsInventory,
})

export const componentStatus = about('The observed state.', defaulted(fields, { observedGeneration: neverObserved }))
