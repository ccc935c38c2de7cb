// Asks a function for the keys of an object (`map: keys`). Questions have their own queue, so that they are repeated like calls and delay
// no calls. Up to a thousand waiting objects are kept. Of further objects only the name is kept, and the object is read again in its turn.
import { isMap } from '../../core/json/json.ts'
import type { Log } from '../../core/log.ts'
import type { ClusterName, Key, KubeObject } from '../../core/objects/object.ts'
import { isKey } from '../key-text.ts'
import { isStillRoutine, type Lane, type Trigger } from '../queue/dispatch.ts'
import { count } from '../queue/home-slots.ts'
import type { Queue, WorkResult } from '../queue/queue.ts'
import type { KeysQuestion } from '../watches/subscription.ts'
import { failedReply, type Host, type HostReply } from './function-host.ts'

export type KeyQuestions = {
  lane: Lane
  put(question: KeysQuestion): void
  /** The remote cluster of the object; undefined for the local cluster. */
  homeOf(id: string): ClusterName | undefined
}

type KeyQuestionsOptions = {
  functionName: string
  concurrency: number
  timeoutSeconds: number
  queue: Queue
  host: Host
  log: Log
  add(lane: Lane, id: string, trigger: Trigger): void
}

type Waiting = Omit<KeysQuestion, 'object'> & { object: KubeObject | undefined }

const objectsHeldMost = 1000

/** Limit for waiting questions of one remote cluster. Further questions are dropped, and the next list or sweep asks them again. */
const foreignWaitingMost = 1000

export const keyQuestions = (options: KeyQuestionsOptions): KeyQuestions => {
  const waiting = new Map<string, Waiting>()
  const waitingOf = new Map<ClusterName, number>()
  const wait = (question: Waiting): void => {
    if (!waiting.has(question.id)) count(waitingOf, question.cluster, 1)
    waiting.set(question.id, question)
  }
  const forget = ({ id, cluster }: Waiting): void => {
    if (waiting.delete(id)) count(waitingOf, cluster, -1)
  }
  const lane: Lane = {
    name: `${options.functionName}/keys`,
    concurrency: options.concurrency,
    timeoutSeconds: options.timeoutSeconds,
    queue: options.queue,
    isOurs: () => true,
    perform: async ({ id }, signal) => {
      const question = waiting.get(id)
      if (question === undefined) return { is: 'done' }
      const verdict = await answer(question, options, signal)
      // An event during the request may have added a newer question with this id. The lane asks the newer question next.
      if (verdict.is === 'done' && waiting.get(id) === question) forget(question)
      return verdict
    },
  }
  return {
    lane,
    homeOf: id => foreign(waiting.get(id)?.cluster),
    put: question => {
      const { id, cluster, object, type } = question
      const isForeign = foreign(cluster) !== undefined
      const beside = waitingOf.get(cluster) ?? 0
      if (isForeign && !waiting.has(id) && beside >= foreignWaitingMost) return
      // Objects of a remote cluster may be large, so they are read again instead of kept.
      const isHeld = !isForeign && (beside < objectsHeldMost || type === 'DELETED')
      // The new question replaces a waiting question, which may not be routine.
      const isRoutine = isStillRoutine(waiting.get(id), question)
      wait({ ...question, isRoutine, object: isHeld ? object : undefined })
      options.add(lane, id, { isRoutine })
    },
  }
}

const foreign = (cluster: ClusterName | undefined): ClusterName | undefined =>
  cluster === 'local' ? undefined : cluster

const answer = async (question: Waiting, options: KeyQuestionsOptions, signal: AbortSignal): Promise<WorkResult> => {
  const { functionName, host, log } = options
  const object = question.object ?? (await readAgain(question, signal))
  // The object was deleted meanwhile. The watch reports the deletion.
  if (object === undefined) return { is: 'done' }
  const reply = await host.keys(functionName, { object, type: question.type }, signal)
  const keys = keysIn(reply)
  if (keys === undefined) {
    log.warn({ function: functionName, about: question.ref, status: reply.status }, 'the function returned no keys')
    return failedReply(reply)
  }
  question.answered(keys, question.isRoutine)
  return { is: 'done' }
}

const readAgain = ({ client, ref, metadataOnly }: Waiting, signal: AbortSignal) =>
  client.bound({ signal }).get(ref, { metadataOnly })

const keysIn = ({ status, body }: HostReply): Key[] | undefined => {
  if (status !== 200 || !isMap(body) || !Array.isArray(body.keys)) return undefined
  return body.keys.every(isKey) ? body.keys.map(({ namespace, name }) => ({ namespace, name })) : undefined
}
