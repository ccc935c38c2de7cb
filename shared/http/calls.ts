// Runs calls of functions: one call at a time per key, within the timeout, with metrics and logs. shared/runtime does the work of a call.
// routes/functions.ts handles requests and answers.
import type { CallBook, DoneCall, RelayQueue } from '../console/calls.ts'
import type { Measurement } from '../core/decisions/measurement.ts'
import type { Outcome } from '../core/decisions/outcome.ts'
import type { Log } from '../core/log.ts'
import { type Key, type KubeObject, keyText } from '../core/objects/object.ts'
import { gatherContext, type ProcessContext } from '../runtime/context.ts'
import type { ChangeType, ReconcileFunction } from '../runtime/definition.ts'
import { markId } from '../runtime/marks.ts'
import type { PlannedCall, PlanSubject } from '../runtime/planned.ts'
import { reconcile } from '../runtime/reconcile.ts'
import { type NoteSpan, notingBelow, type Span, type Trace } from '../trace/trace.ts'
import { outsideWait, singleFlights, timed } from './call-limits.ts'
import type { HostMetrics } from './telemetry/metrics.ts'

type CallParts = {
  metrics: HostMetrics
  now: () => Date
  /** Records calls for the console; undefined without a console. */
  book?: CallBook | undefined
  /** Absent: no tracing. */
  noteSpan?: NoteSpan | undefined
}

export type Callable = {
  definition: ReconcileFunction
  context: ProcessContext
  timeoutSeconds: number
  measure?: (measurements: readonly Measurement[]) => void
}

/**
 * `since`: arrival of the request (monotonic). `isQuiet`: the call is only periodic. `queue`: the relay's queue at the time of the call. `waits`:
 * called once after a long wait for a registry or a remote cluster.
 */
export type CallOrigin = {
  since: number
  trace: Trace
  log: Log
  isQuiet?: boolean
  queue?: RelayQueue | undefined
  waits?: () => void
}

export type FunctionCalls = {
  call(callable: Callable, key: Key, asking: CallOrigin): Promise<Outcome>
  /** Computes the plan without writing. */
  plan(callable: Callable, subject: PlanSubject, asking: CallOrigin): Promise<PlannedCall>
  keys(callable: Callable, about: ChangedObject, asking: CallOrigin): Promise<Key[]>
}

export type ChangedObject = { readonly object: KubeObject; readonly type: ChangeType }

export const functionCalls = (parts: CallParts): FunctionCalls => {
  const flights = singleFlights<Outcome>()
  return {
    call: (callable, key, asking) => {
      const id = markId(callable.definition.name, keyText(key))
      // Forget the mark before the run. This call may share a run with a quiet call, which would keep the mark.
      if (!asking.isQuiet) callable.context.memory.marks.forget(id)
      return flights(id, () => measuredCall(callable, key, { ...parts, ...asking }))
    },
    plan: ({ definition, context, timeoutSeconds }, subject, { since, trace: { traceparent }, log }) => {
      const times = budget(timeoutSeconds, since)
      const { now } = parts
      return timed(times.lastRequestAt - performance.now(), async signal => {
        const { planned } = await import('../runtime/planned.ts')
        return planned(definition, subject, { ...context, ...times, signal, traceparent, now, log })
      })
    },
    keys: ({ definition, context, timeoutSeconds }, { object, type }, asking) => {
      const { lastRequestAt } = budget(timeoutSeconds, asking.since)
      return timed(lastRequestAt - performance.now(), async signal => {
        const { traceparent } = asking.trace
        const found = await gatherContext(context, definition, { signal, lastRequestAt, traceparent })
        return (await definition.keys?.(object, found, type)) ?? []
      })
    },
  }
}

const measuredCall = async (callable: Callable, key: Key, call: CallParts & CallOrigin): Promise<Outcome> => {
  const { now, trace, log, isQuiet, waits } = call
  const { context, measure } = callable
  const { name, kind } = callable.definition
  const noteSpan = trace.isSampled ? call.noteSpan : undefined
  const begun = performance.now()
  const ends = call.metrics.callBegins(name)
  call.book?.begins(name, { at: now(), queue: call.queue })
  const note = (outcome: DoneCall['outcome']): void => {
    const milliseconds = Math.round(performance.now() - begun)
    call.book?.note(kind, key, { function: name, at: now(), milliseconds, outcome })
    noteSpan?.(callSpan(name, key, { began: call.since, outcome: outcome.outcome }), trace)
  }
  try {
    const { lastPassAt, lastRequestAt } = budget(callable.timeoutSeconds, call.since)
    const outcome = await timed(lastRequestAt - performance.now(), signal =>
      reconcile(callable.definition, key, {
        ...context,
        signal,
        lastPassAt,
        lastRequestAt,
        traceparent: trace.traceparent,
        noteSpan: noteSpan && notingBelow(trace, noteSpan),
        now,
        log,
        measure,
        pictured: call.book && (picture => call.book?.picture(kind, key, picture)),
        certified: call.book && (certificates => call.book?.certificates(kind, key, certificates)),
        isQuiet,
        outside: waits && outsideWait(waits),
      }),
    )
    ends(outcome)
    const milliseconds = Math.round(performance.now() - begun)
    const { wrote, ...logged } = outcome
    note(logged)
    log[logged.outcome === 'settled' ? 'debug' : 'info']({ ...logged, milliseconds }, 'call ended')
    return outcome
  } catch (error) {
    ends('thrown')
    note({ outcome: 'thrown' })
    throw error
  }
}

const callSpan = (name: string, key: Key, { began, outcome }: { began: number; outcome: string }): Span => ({
  name: `reconcile ${name}`,
  kind: 'server',
  began,
  ended: performance.now(),
  attributes: { 'k8s.namespace.name': key.namespace, 'espalier.object': keyText(key), 'espalier.outcome': outcome },
  fault: outcome === 'failed' || outcome === 'thrown' ? outcome : undefined,
})

/**
 * After `lastPassAt` a call starts no new pass, but may still write the status. At `lastRequestAt` the call is aborted. Both times are
 * before the caller's timeout, so that the caller gets an answer. Keys, reviews and callbacks write no status and may use the whole time.
 */
export const budget = (timeoutSeconds: number, since: number): { lastPassAt: number; lastRequestAt: number } => {
  const margin = Math.min(2_000, timeoutSeconds * 100)
  const caller = since + timeoutSeconds * 1_000
  return { lastPassAt: caller - 2 * margin, lastRequestAt: caller - margin / 2 }
}
