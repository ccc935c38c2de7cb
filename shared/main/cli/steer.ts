// `espalier reconcile`, `suspend` and `resume`: set or remove annotations that make functions reconcile an object now, pause, or continue.
import { setTimeout as pause } from 'node:timers/promises'
import { kymaNames } from '../../api/kyma/names.ts'
import { ourKinds } from '../../api/our-kinds.ts'
import { suspensionOf } from '../../core/decisions/suspension.ts'
import { type JsonMap, mapOrEmpty, shownText } from '../../core/json/json.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../core/objects/object.ts'
import { espalierAnnotations } from '../../core/objects/steering.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import type { Client } from '../../kube/client-types.ts'
import { isOn } from '../../kyma/kinds.ts'
import { explained } from '../../runtime/why/explanation.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { type Command, type CommandResult, type Given, UsageFault } from './command.ts'
import { isOfOurKinds } from './kinds.ts'
import { commandFor, objectGiven } from './named-object.ts'
import { type ReadingProcess, reads } from './reading-process.ts'

export const reconcileCommand: Command = {
  name: 'reconcile',
  usage: 'KIND NAME',
  sentence:
    'Calls the functions of an object now. The object gets no new revision, and finished hook Jobs do not run again.',
  options: {
    wait: { type: 'boolean', sentence: 'Waits until a function was called and the object is ready or has failed' },
    timeout: { type: 'string', value: 'SECONDS', sentence: 'Time limit of --wait; default 300' },
  },
  examples: ['espalier reconcile component shop -n shop --wait', 'espalier reconcile garden garden'],
  run: given =>
    reads(given.options, async reading => {
      const seconds = secondsIn(given)
      const object = await objectGiven(given, reading)
      const suspension = suspensionOf(object)
      if (suspension !== undefined)
        throw new UsageFault(`${textOf(object)} is suspended by ${suspension}: ${commandFor('resume', object)} first`)
      const at = new Date().toISOString()
      await annotated(reading.local, object, { [espalierAnnotations.reconcileRequestedAt]: at })
      const asked = { object: textOf(object), requestedAt: at }
      if (given.options.wait === undefined)
        return answer(asked, `${textOf(object)}: its functions are called now; see ${commandFor('get', object)}`)
      return worked(object, { at, seconds, local: reading.local })
    }),
}

export const suspendCommand: Command = {
  name: 'suspend',
  usage: 'KIND NAME',
  sentence: 'Pauses a Component, Garden, Istio, Kyma, Manifest or Watcher: functions only carry out its deletion.',
  options: {
    reason: { type: 'string', value: 'TEXT', sentence: 'Required: the reason, which the status and get show' },
  },
  examples: [
    "espalier suspend component shop -n shop --reason 'the database moves'",
    "espalier suspend istio default -n kyma-system --reason 'we debug a sidecar'",
  ],
  run: given =>
    reads(given.options, async reading => {
      const { reason = '' } = given.options
      if (reason.trim() === '')
        throw new UsageFault("expected --reason with a text, such as --reason 'the database moves'")
      const object = await suspendable(given, reading)
      if (isDeleting(object)) throw new UsageFault(`${textOf(object)} is being deleted; a deletion cannot be suspended`)
      const suspension = `${await personAt(reading.local)} at ${kubeTime(new Date())}: ${reason}`
      await annotated(reading.local, object, { [espalierAnnotations.suspended]: suspension })
      const text = `${textOf(object)} is suspended until ${commandFor('resume', object)}`
      return answer({ object: textOf(object), suspended: suspension }, text)
    }),
}

export const resumeCommand: Command = {
  name: 'resume',
  usage: 'KIND NAME',
  sentence: 'Resumes a suspended object: functions work on it again.',
  options: {},
  examples: ['espalier resume component shop -n shop', 'espalier resume kyma basic -n kcp-system'],
  run: given =>
    reads(given.options, async reading => {
      const object = await suspendable(given, reading)
      const { skipReconciliation } = kymaNames.labels
      const isHeld = mapOrEmpty(object.spec).suspend === true
      const isLabelled = isOn(object, skipReconciliation)
      const isSuspended = isHeld || suspensionOf(object) !== undefined || isLabelled
      if (!isSuspended) return answer({ object: textOf(object) }, `${textOf(object)} was not suspended`)
      const more = {
        ...(isLabelled && { metadata: { labels: { [skipReconciliation]: null } } }),
        ...(isHeld && { spec: { suspend: null } }),
      }
      await annotated(reading.local, object, { [espalierAnnotations.suspended]: null }, more)
      return answer({ object: textOf(object) }, `${textOf(object)}: functions work on it again`)
    }),
}

const answer = (data: unknown, text: string): CommandResult => ({ data, text: wrapped(text, 2, columns), code: 0 })

const textOf = (object: KubeObject): string => refText(refOf(object))

const suspendable = async (given: Given, reading: ReadingProcess): Promise<KubeObject> => {
  const object = await objectGiven(given, reading)
  if (isOfOurKinds(object)) return object
  const kinds = ourKinds.map(({ kind }) => kind).join(', ')
  throw new UsageFault(`a ${object.kind} cannot be suspended; expected one of ${kinds}`)
}

const annotated = (local: Client, object: KubeObject, annotations: JsonMap, more: JsonMap = {}) => {
  const metadata = { ...mapOrEmpty(more.metadata), annotations }
  return local.patch(refOf(object), { type: 'merge', body: { ...more, metadata } }, { fieldManager: 'espalier' })
}

/** The user name that the API server reports. */
const personAt = async (local: Client): Promise<string> => {
  const apiVersion = 'authentication.k8s.io/v1'
  const body = { apiVersion, kind: 'SelfSubjectReview' }
  const review = await local.raw({ method: 'POST', path: `/apis/${apiVersion}/selfsubjectreviews`, body })
  return shownText(mapOrEmpty(mapOrEmpty(mapOrEmpty(review).status).userInfo).username)
}

const everyMilliseconds = 500

/** Checks `--timeout` before any write. */
const secondsIn = ({ options }: Given): number => {
  const seconds = Number(options.timeout ?? 300)
  if (seconds > 0) return seconds
  throw new UsageFault(`--timeout is ${options.timeout}: expected a number of seconds, such as 300`)
}

type Waiting = { readonly at: string; readonly seconds: number; readonly local: Client }

/** Waits until the function that owns the object's state has removed the annotation, and the object is ready or has failed. */
const worked = async (object: KubeObject, { at, seconds, local }: Waiting): Promise<CommandResult> => {
  const end = performance.now() + seconds * 1_000
  for (;;) {
    const now = await local.get(refOf(object))
    if (!now) return answer({ object: textOf(object), is: 'gone' }, `${textOf(object)} is gone`)
    const isAsked = now.metadata.annotations?.[espalierAnnotations.reconcileRequestedAt] === at
    const { parts: _, ...state } = explained(now, 'local', new Date())
    const isOver = performance.now() > end
    if (isAsked && isOver)
      throw new UsageFault(`no function worked on ${textOf(object)} within ${seconds} s: see espalier check`)
    if (isOver || (!isAsked && ['ready', 'failed', 'suspended'].includes(state.is))) {
      const says = state.is === 'ready' ? '' : `: ${state.says.join('; ')}; ${commandFor('why', object)}`
      const text = `${textOf(object)} is ${state.is}${isOver ? ` after ${seconds} s` : ''}${says}`
      return { ...answer({ object: textOf(object), ...state }, text), code: state.is === 'ready' ? 0 : 1 }
    }
    await pause(everyMilliseconds)
  }
}
