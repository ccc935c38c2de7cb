// status of a Component: what the engine remembers between calls, and what people want to know.
import { about, defaulted, int32, int64, list, object, oneOf, options, raw, text, time } from '../schema.ts'

const condition = object({
  type: text,
  status: oneOf('True', 'False', 'Unknown'),
  reason: text,
  message: text,
  lastTransitionTime: time,
})

/**
 * Told in words alone: only the engine writes them, and by a schema the API server would look at every field of every item with
 * every write, which with a thousand dependents is two thirds more work.
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

/** What the engine remembers of its work, besides what it made. */
export const engineStatus = {
  observedGeneration: defaulted(int64, neverObserved),
  appliedGeneration: about('The generation that was last Ready.', int64),
  revision: about('Counts what the component was made of.', int64),
  lastObservedAt: time,
  lastAppliedAt: time,
  processingSince: about('When the clock of the timeout began to run.', time),
  revisionAt: about('What templates take for now.', time),
  processingDigest: about('Digest of the component at work.', text),
  lastProcessingDigest: about('The digest last counted in revision.', text),
  state: oneOf('Pending', 'Processing', 'Ready', 'Error', 'DeletionPending', 'Deleting'),
  conditions: list(condition),
  deleteHooks: about('How many objects of the last rendering are applied at deletion only.', int32),
} as const

const fields = options({
  ...engineStatus,
  source: about('The artifact in use.', options({ digest: text, version: text })),
  inventory: dependentsInventory,
})

export const componentStatus = about('What became of it.', defaulted(fields, { observedGeneration: neverObserved }))
