// The fault proxy's way on to the API server: the same request again, but for what concerns a single hop.
import type { IncomingMessage } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { withoutSockets } from '../../../shared/embedded/http/without-sockets.ts'
import { wholeAnswer } from '../../../shared/kube/connection/whole-answer.ts'
import type { Way } from '../clients.ts'
import type { Reply } from './faults.ts'

/** It waits for answers as long as whoever asked. */
export const upstreamTo = ({ url, caData, answer }: Way): Dispatcher =>
  answer
    ? withoutSockets(answer)
    : new Pool(url, { bodyTimeout: 0, headersTimeout: 0, connect: { ca: Buffer.from(caData, 'base64') } })

type Asked = { readonly incoming: IncomingMessage; readonly body: Buffer }

/** The answer with its body still on its way. */
export const ask = (upstream: Dispatcher, asked: Asked, signal: AbortSignal): Promise<Dispatcher.ResponseData> =>
  upstream.request({ ...sameAgain(asked), signal })

export const wholeReply = async (upstream: Dispatcher, asked: Asked): Promise<Reply> => {
  const bounds = { bytesMost: Number.POSITIVE_INFINITY, millisecondsMost: Number.POSITIVE_INFINITY }
  const { statusCode, headers, body } = await wholeAnswer(upstream, { ...sameAgain(asked), ...bounds })
  return { code: statusCode, headers: plain(headers), body: body.bytes }
}

const sameAgain = ({ incoming, body }: Asked): Dispatcher.DispatchOptions => ({
  method: incoming.method as Dispatcher.HttpMethod,
  path: urlOf({ incoming }),
  headers: forwarded(incoming),
  body: body.length > 0 ? body : undefined,
})

export const urlOf = ({ incoming }: Pick<Asked, 'incoming'>): string => incoming.url ?? '/'

/** Not for the next hop, or not true any more there; answers are wanted as they can be read. */
const ofTheHop = [
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'accept-encoding',
  'expect',
]

const forwarded = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(plain(headers)).filter(([name]) => !ofTheHop.includes(name)))

/** Headers with one text each. */
export const plain = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
