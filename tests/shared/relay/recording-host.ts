// A host for the relay to call: it notes every call and answers as the test says. What it answers is the test's matter,
// so it knows no function.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { quietHeader, waitingHeader } from '../../../shared/api/calls.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { type Key, type KubeObject, keyText } from '../../../shared/core/objects/object.ts'
import { usualSeconds } from '../../harness/until.ts'

export type Call = { function: string; key: string; at: number; isOver: boolean; isQuiet: boolean; waiting: string }
export type Question = { function: string; object: KubeObject; type: string }
export type Answer = Outcome | { status: number; retryAfterSeconds?: number }

export type RecordingHost = {
  readonly url: string
  readonly calls: Call[]
  readonly questions: Question[]
  /** Answers a call; settled at once if the test does not say otherwise. */
  answer: (call: Call) => Answer | Promise<Answer>
  keys: (question: Question) => Key[] | Promise<Key[]>
  /** Most calls under way at once. */
  readonly most: number
  /** Keys called so far, in order. */
  called(functionName?: string): string[]
  /** Forgets what was called so far. */
  forget(): void
  /** Resolves as soon as it is so; looks after every call and every answer. */
  until(isSo: () => boolean): Promise<void>
  close(): Promise<void>
}

/** The token it wants to be shown. */
export const relayToken = 'token-of-the-relay-that-nobody-guesses'

export const recordingHost = async (): Promise<RecordingHost> => {
  const watchers = new Set<() => void>()
  let running = 0
  const changed = () => {
    for (const look of watchers) look()
  }
  const server = createServer((request, response) => void serve(request, response).then(changed))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as Key & Omit<Question, 'function'>
    const [, , name = '', isQuestion] = (request.url ?? '').split('/')
    if (request.headers.authorization !== `Bearer ${relayToken}`) return reply(response, { status: 401 })
    const isQuiet = request.headers[quietHeader] === 'true'
    if (isQuestion) return answerQuestion({ function: name, ...body }, response)
    const waiting = String(request.headers[waitingHeader])
    const call = { function: name, key: keyText(body), at: performance.now(), isOver: false, isQuiet, waiting }
    return answerCall(call, response)
  }
  const answerQuestion = async (question: Question, response: ServerResponse): Promise<void> => {
    host.questions.push(question)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: await host.keys(question) }))
  }
  const answerCall = async (call: Call, response: ServerResponse): Promise<void> => {
    host.calls.push(call)
    most = Math.max(most, ++running)
    changed()
    const answer = await host.answer(call)
    running--
    call.isOver = true
    reply(response, answer)
  }
  let most = 0
  const host: RecordingHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    questions: [],
    answer: () => ({ outcome: 'settled' }),
    keys: () => [],
    get most() {
      return most
    },
    called: name => host.calls.filter(call => call.function === (name ?? call.function)).map(({ key }) => key),
    forget: () => {
      host.calls.length = 0
      host.questions.length = 0
      most = running
    },
    until: isSo => until(isSo, { watchers, host }),
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return host
}

type Waiting = { watchers: Set<() => void>; host: RecordingHost }

const until = (isSo: () => boolean, { watchers, host }: Waiting): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = () => isSo() && end(resolve)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      watchers.delete(look)
      settle()
    }
    const timer = setTimeout(
      () =>
        end(() =>
          reject(
            new Error(
              `not so after ${usualSeconds} s: ${isSo}; called last were ${host.called().slice(-10).join(', ')}`,
            ),
          ),
        ),
      usualSeconds * 1000,
    )
    watchers.add(look)
    look()
  })

const reply = (response: ServerResponse, answer: Answer): void => {
  if ('outcome' in answer) {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
    return
  }
  if (answer.retryAfterSeconds !== undefined) response.setHeader('retry-after', answer.retryAfterSeconds)
  response.statusCode = answer.status
  response.end()
}
