// Answers broken requests: too slow, with too many headers, or not HTTP. For such requests, Fastify only provides the socket.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Log } from '../../core/log.ts'
import { answerWith, type RefusalCode, Refused } from '../errors.ts'

const codes: ReadonlyMap<string, RefusalCode> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'slowSender'],
  ['HPE_HEADER_OVERFLOW', 'headersTooLarge'],
])

/** If the socket is still open, answers in the usual error format. Then closes the connection. */
export const answerBrokenRequest = (error: NodeJS.ErrnoException, socket: Socket, log: Log): void => {
  if (socket.writable) {
    const refused = new Refused(codes.get(error.code ?? '') ?? 'badRequest')
    const { status, body } = answerWith(refused, { requestId: randomUUID(), log })
    const text = JSON.stringify(body)
    const head = `HTTP/1.1 ${status} \r\ncontent-type: application/json\r\nconnection: close\r\n`
    socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  socket.destroy()
}
