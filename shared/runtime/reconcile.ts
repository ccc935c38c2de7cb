// The loop: read the object, run passes (pass.ts) while there is something to do, then reply. The loop does not wait, and keeps nothing in
// memory: the next call reads everything again. Host and relay decide when a function is called.
import type { Outcome } from '../core/decisions/outcome.ts'
import { type StepResult, settled } from '../core/decisions/plan.ts'
import { subjectText } from '../core/decisions/steps.ts'
import { isDeleting, isLetGo, type Key, type KubeObject } from '../core/objects/object.ts'
import { espalierAnnotations } from '../core/objects/steering.ts'
import type { RequestNote } from '../kube/client-types.ts'
import { begunCall, type CallContext } from './context.ts'
import type { ReconcileFunction } from './definition.ts'
import { needsAnotherPass, nextOf, outcomeOf, outcomeOfFutile, wasOvertaken } from './outcome-of.ts'
import { OwnWrites } from './own-writes.ts'
import { type DonePass, type FunctionCall, isSpent, onePass, perform } from './pass.ts'

/** Limits defective functions that never settle. */
const maxPasses = 100

/** Reconciles one object as far as possible now. Throws when the API server does not answer. */
export const reconcile = async (definition: ReconcileFunction, key: Key, context: CallContext): Promise<Outcome> => {
  const { countedRequest } = definition
  const onRequest = countedRequest && (({ method }: RequestNote) => context.measure?.([countedRequest(method)]))
  const call = await begunCall(context, definition, onRequest)
  const functionCall: FunctionCall = { definition, call, shared: definition.begin?.(call), recording: new Map() }
  try {
    const object = await read(key, functionCall)
    return await (object ? passes(object, key, functionCall) : cleanUpAfter(key, functionCall))
  } finally {
    await Promise.all(functionCall.recording.values())
  }
}

const passes = async (first: KubeObject, key: Key, functionCall: FunctionCall): Promise<Outcome> => {
  const { call } = functionCall
  const writes = new OwnWrites()
  let object: KubeObject | undefined = first
  for (let number = 1; object; number++) {
    const pass = await onePass(object, functionCall)
    call.log.debug({ pass: number, steps: pass.results.map(stepText), next: nextOf(pass) }, 'pass done')
    const hasMore = needsAnotherPass(pass)
    const futile = hasMore ? writes.futileIn(pass) : undefined
    const goesOn = hasMore && !futile && number < maxPasses && !isSpent(call)
    writes.passed(pass, { isFollowed: goesOn || futile !== undefined })
    if (!goesOn) {
      const outcome = futile ? outcomeOfFutile(futile) : outcomeOf(pass, { hasMore })
      const isAnswered = !wasOvertaken(pass) && outcome.requeueAfterSeconds !== 0
      const now = pass.saved ?? pass.stepped ?? object
      const saved = isAnswered ? await requestAnswered(first, now, functionCall) : undefined
      writes.passed({ results: [], saved }, { isFollowed: true })
      return writes.reportedIn(outcome)
    }
    object = await objectAfter(pass, object, () => read(key, functionCall))
  }
  return { outcome: 'settled' }
}

/**
 * Removes the annotation that requested this call, unless it has a newer value. Returns the object without the annotation; undefined if the
 * object had no annotation. Like the status, this is written even after the time for steps is over. A failure is only logged, because only
 * the waiting user depends on the annotation.
 */
const requestAnswered = async (asked: KubeObject, now: KubeObject, functionCall: FunctionCall) => {
  const name = espalierAnnotations.reconcileRequestedAt
  const [value, valueNow] = [asked, now].map(({ metadata }) => metadata.annotations?.[name])
  if (value === undefined || value !== valueNow || !functionCall.definition.keepsState) return undefined
  const merge = { metadata: { annotations: { [name]: null } } }
  const [result] = await perform([{ do: 'patch', target: now, merge }], functionCall, { mayContinue: () => true })
  if (result?.error) functionCall.call.log.warn({ err: result.error }, `the annotation ${name} could not be removed`)
  return result?.object
}

const read = (key: Key, { definition, call }: FunctionCall): Promise<KubeObject | undefined> =>
  call.local.get({ ...definition.kind, ...key })

const cleanUpAfter = async (key: Key, functionCall: FunctionCall): Promise<Outcome> => {
  const steps = (await functionCall.definition.leftBehind?.(key, functionCall.call)) ?? []
  const plan = { steps, status: {}, events: [], next: settled }
  const pass = {
    plan,
    results: await perform(steps, functionCall),
    afterwards: [],
    report: { status: {} },
    hasConflict: false,
  }
  return outcomeOf(pass, { hasMore: false })
}

/**
 * The next pass uses the answer to our own write instead of a read. If another client changed the object meanwhile, our next write is a
 * conflict. undefined: the object is gone, because our write removed its last finalizer. An object in deletion that we did not write is read
 * again, because it may be gone.
 */
const objectAfter = async (
  pass: DonePass,
  before: KubeObject,
  readAgain: () => Promise<KubeObject | undefined>,
): Promise<KubeObject | undefined> => {
  const written = pass.saved ?? pass.stepped
  if (!written) return nextOf(pass).is === 'again' && !isDeleting(before) ? before : readAgain()
  if (!isLetGo(written)) return written
  return isLetGo(before) ? readAgain() : undefined
}

/** The text of a step for the log. Leaves out the API server's message, which may quote a Secret. */
const stepText = ({ step, changed, error }: StepResult): string =>
  `${step.do} ${subjectText(step)}: ${error ? 'failed' : changed ? 'done' : 'already so'}`
