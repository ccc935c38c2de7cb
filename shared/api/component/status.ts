// status of a Component: what the engine remembers between calls, and what people want to know.
import { about, defaulted, int32, int64, list, object, oneOf, options, text, time } from '../schema.ts'

const condition = object({
  type: text,
  status: oneOf('True', 'False', 'Unknown'),
  reason: text,
  message: text,
  lastTransitionTime: time,
})

const managedType = object({ group: text, version: text, kind: text })

/** What the words mean is told in shared/component/item.ts; any may stand, so that an older status never blocks a write. */
const inventoryItem = object(
  { version: text, kind: text, name: text },
  {
    group: text,
    namespace: text,
    adoptionPolicy: text,
    reconcilePolicy: text,
    updatePolicy: text,
    deletePolicy: text,
    applyOrder: int32,
    deleteOrder: int32,
    managedTypes: list(managedType),
    digest: text,
    fingerprint: text,
    phase: text,
    status: text,
    lastAppliedAt: time,
  },
)

const neverObserved = -1

const fields = options({
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
  source: about('The artifact in use.', options({ digest: text, version: text })),
  deleteHooks: about('How many objects of the last rendering are applied at deletion only.', int32),
  inventory: about('The dependents. Fields at their default are left out.', list(inventoryItem)),
})

export const componentStatus = about('What became of it.', defaulted(fields, { observedGeneration: neverObserved }))
