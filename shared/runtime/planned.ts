// Plans a call without performing it: gather and decide as in a call, then each step as a dry run. Steps on the object and its status are
// applied in memory. Thus the plan also works for objects that are not stored yet, up to the first pass that writes another object.
import type { EventNote, Next, PictureStep } from '../core/decisions/plan.ts'
import { suspensionOf } from '../core/decisions/suspension.ts'
import { type FieldChange, fieldChanges } from '../core/json/field-changes.ts'
import { sameJson } from '../core/json/json.ts'
import { mergePatched } from '../core/json/merge-patch.ts'
import { type Key, type KubeObject, refOf, refText } from '../core/objects/object.ts'
import { dryRun, readOnly, writable } from '../kube/clusters/read-only.ts'
import { storedRenderKey } from './component/rendering/render-key.ts'
import { begunCall, type CallContext } from './context.ts'
import type { LaterStep, ReconcileFunction } from './definition.ts'
import { nextOf } from './outcome-of.ts'
import { changedItself, type PlannedStep, type Planning, shownPart, triedSteps } from './planned-steps.ts'
import { processMemory } from './process-memory.ts'

/** A stored object, or an object to apply. */
export type PlanSubject = { readonly key: Key } | { readonly object: KubeObject }

export type PlannedCall = {
  readonly function: string
  /** For example `Component shop/shop`. */
  readonly object: string
  /** `gone`: the object does not exist. `suspended`: functions do not work on the object. */
  readonly is: 'planned' | 'gone' | 'suspended'
  readonly steps: readonly PlannedStep[]
  /** Later steps, after the objects of `steps` are ready. */
  readonly later: readonly LaterStep[]
  /** Fields of the object itself that the call would write, such as finalizers; not the status. */
  readonly itself: readonly FieldChange[]
  readonly status: readonly FieldChange[]
  readonly events: readonly PlannedEvent[]
  readonly next: Next
}

/** `regarding`: for example `Deployment shop/shop`; absent for the planned object. */
type PlannedEvent = Pick<EventNote, 'type' | 'reason' | 'message'> & { readonly regarding?: string }

/** Limit for defective functions that never settle. */
const passesMost = 20

/** Writes nothing. Rejects when the API server does not answer, or refuses the object. */
export const planned = async (
  definition: ReconcileFunction,
  subject: PlanSubject,
  context: CallContext,
): Promise<PlannedCall> => {
  const call = await begunCall(withOwnMemory(context), definition)
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
      next: inWholeSeconds(next),
      itself,
      status: fieldChanges(first.status, object.status),
    }
  }
}

const inWholeSeconds = (next: Next): Next =>
  'seconds' in next && next.seconds !== undefined ? { ...next, seconds: Math.ceil(next.seconds) } : next

/** Uses a separate memory: calls must not use the plan's renderings, which have another key, and a plan must leave no marks. */
const withOwnMemory = (context: CallContext): CallContext => {
  const { remoteClient, clusterUid } = context.memory
  return {
    ...context,
    memory: { ...processMemory(context.clusters.clientOptions), remoteClient, clusterUid },
    renderKey: async () => storedRenderKey(readOnly(await context.clusters.of('local')), context.home),
    measure: undefined,
    pictured: undefined,
    certified: undefined,
    isQuiet: false,
  }
}

const stored = (key: Key, { definition, call }: Planning): Promise<KubeObject | undefined> =>
  call.reads.get({ ...definition.kind, ...key })

/** The object as the API server would store it, with defaults and with fields of other managers. */
const tried = (object: KubeObject, { call }: Planning): Promise<KubeObject> =>
  dryRun(writable(call.local)).apply(object, { fieldManager: 'espalier-plan', force: true })

type PassInMind = Pick<PlannedCall, 'steps' | 'later' | 'events' | 'next'> & {
  /** The stored object after the pass; undefined when it is gone. */
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

/** Drops the object of the Event, which may be a Secret. */
const plannedEvent = ({ type, reason, message, regarding }: EventNote): PlannedEvent => ({
  type,
  reason,
  message,
  ...(regarding && { regarding: refText(refOf(regarding)) }),
})
