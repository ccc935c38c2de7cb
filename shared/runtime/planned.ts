// What a call would do, without doing it: gather and decide as in a call, then each step as a dry run at the API server. Steps on the
// object itself and its status are applied in memory, so that an object that is not stored yet gets as far as a real one: to the first
// pass that writes something else.
import type { PictureStep } from '../core/decisions/picture.ts'
import type { EventNote, Next } from '../core/decisions/plan.ts'
import { suspensionOf } from '../core/decisions/suspension.ts'
import { type FieldChange, fieldChanges } from '../core/json/field-changes.ts'
import { sameJson } from '../core/json/json.ts'
import { mergePatched } from '../core/json/merge-patch.ts'
import { type Key, type KubeObject, refOf, refText } from '../core/objects/object.ts'
import { readOnly, writable } from '../kube/clusters/read-only.ts'
import { dryRun } from '../kube/writes/dry-run.ts'
import { storedRenderKey } from './component/rendering/render-key.ts'
import { begunCall, type CallContext } from './context.ts'
import type { LaterStep, ReconcileFunction } from './definition.ts'
import { nextOf } from './outcome-of.ts'
import { changedItself, type PlannedStep, type Planning, shownPart, triedSteps } from './planned-steps.ts'
import { processMemory } from './process-memory.ts'

/** An object that is stored, or one as it would be applied. */
export type PlanSubject = { readonly key: Key } | { readonly object: KubeObject }

export type PlannedCall = {
  readonly function: string
  /** `Component shop/shop`. */
  readonly object: string
  /** `gone`: there is no such object. `suspended`: functions leave it alone. */
  readonly is: 'planned' | 'gone' | 'suspended'
  readonly steps: readonly PlannedStep[]
  /** What follows when these steps are done and what they wait for is ready. */
  readonly later: readonly LaterStep[]
  /** Fields of the object that the call would write beside its status, such as a finalizer. */
  readonly itself: readonly FieldChange[]
  readonly status: readonly FieldChange[]
  readonly events: readonly PlannedEvent[]
  readonly next: Next
}

/** `regarding`: `Deployment shop/shop`; absent: the object that is planned. */
type PlannedEvent = Pick<EventNote, 'type' | 'reason' | 'message'> & { readonly regarding?: string }

/** A defective function must not hold the caller. */
const passesMost = 20

/** Writes nothing. Rejects if the API server does not answer, or refuses the object. */
export const planned = async (
  definition: ReconcileFunction,
  subject: PlanSubject,
  context: CallContext,
): Promise<PlannedCall> => {
  const call = await begunCall(withOwnMemory(context))
  const about = { definition, call, shared: definition.begin?.(call) }
  const first = 'key' in subject ? await stored(subject.key, about) : await tried(subject.object, about)
  const name = refText('key' in subject ? { ...definition.kind, ...subject.key } : refOf(subject.object))
  const nothing = { function: definition.name, object: name, steps: [], later: [], itself: [], status: [], events: [] }
  if (!first) return { ...nothing, is: 'gone', next: { is: 'settled' } }
  const suspension = suspensionOf(first, { keepsState: definition.keepsState === true })
  if (suspension !== undefined) return { ...nothing, is: 'suspended', next: { is: 'settled' } }
  let object = first
  const steps: PlannedStep[] = []
  const events: PlannedEvent[] = []
  for (let pass = 1; ; pass++) {
    const done = await passInMind(object, about)
    steps.push(...done.steps)
    events.push(...done.events.filter(event => !events.some(other => sameJson(event, other))))
    object = done.object ?? object
    const goesOn = done.object && done.steps.length === 0 && done.next.is === 'again' && pass < passesMost
    if (goesOn) continue
    const { later, next } = done
    const itself = fieldChanges(shownPart(first), shownPart(object))
    return {
      ...nothing,
      is: 'planned',
      steps,
      later,
      events,
      next,
      itself,
      status: fieldChanges(first.status, object.status),
    }
  }
}

/** What a plan rendered with another key must not be found by calls, and a plan leaves no marks. */
const withOwnMemory = (context: CallContext): CallContext => {
  const { remoteClient, clusterUid } = context.memory
  return {
    ...context,
    memory: { ...processMemory(context.clusters.clientOptions), remoteClient, clusterUid },
    renderKey: async () => storedRenderKey(readOnly(await context.clusters.of('local')), context.home),
    measure: undefined,
    pictured: undefined,
    isQuiet: false,
  }
}

const stored = (key: Key, { definition, call }: Planning): Promise<KubeObject | undefined> =>
  call.reads.get({ ...definition.kind, ...key })

/** As the API server would store it: with defaults, and beside the fields of others. */
const tried = (object: KubeObject, { call }: Planning): Promise<KubeObject> =>
  dryRun(writable(call.local)).apply(object, { fieldManager: 'espalier-plan', force: true })

type PassInMind = Pick<PlannedCall, 'steps' | 'later' | 'events' | 'next'> & {
  /** As it would be stored after the pass; undefined: it is gone. */
  readonly object: KubeObject | undefined
}

const passInMind = async (object: KubeObject, about: Planning): Promise<PassInMind> => {
  const { definition, call, shared } = about
  call.beginPass()
  const world = await definition.gather(object, call, shared)
  const scope = definition.passScope?.(world, shared) ?? {}
  const plan = definition.decide(world, call.now())
  const tries = await triedSteps(plan.steps, { object, about, scope })
  const results = tries.map(({ result }) => result)
  const report = definition.report?.(world, plan, results, call.now()) ?? { status: plan.status }
  const changed = changedItself(object, plan.steps)
  return {
    steps: tries.flatMap(({ shown }) => shown ?? []),
    later: definition.later?.(world, plan, call.now()) ?? (definition.picture?.(plan) ?? []).flatMap(blockedStep),
    events: (report.events ?? plan.events).map(plannedEvent),
    next: nextOf({ plan, results, report, afterwards: [], hasConflict: false }),
    object: changed && { ...changed, status: mergePatched(changed.status ?? {}, report.status) },
  }
}

const blockedStep = ({ name, needs, is }: PictureStep): LaterStep[] =>
  is === 'blocked' ? [{ does: 'step', object: name, after: needs }] : []

/** Without the object that the Event is about, which may be a Secret. */
const plannedEvent = ({ type, reason, message, regarding }: EventNote): PlannedEvent => ({
  type,
  reason,
  message,
  ...(regarding && { regarding: refText(refOf(regarding)) }),
})
