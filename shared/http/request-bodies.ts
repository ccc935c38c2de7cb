// Reads JSON bodies that are neither compressed nor chunked, within the listener's memory limit, and answers broken requests. Callers of webhooks
// rarely authenticate, so a body is read only if enough of this memory is free. The memory is freed when the request is answered.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { byteBudget } from '../core/bounds/bytes.ts'
import type { Log } from '../core/log.ts'
import { announcedLength, type BodyRead, receiveBody } from '../listener/receive-body.ts'
import { answerWith, type RefusalCode, Refused } from './errors.ts'
import { checkedBody } from './json-body.ts'

/** `bytesMost`: the limit for all bodies together; routes limit single bodies. `gaveWay`: called for each refused body. */
export const takeJsonBodies = (app: FastifyInstance, bytesMost: number, gaveWay: () => void): void => {
  const room = byteBudget(bytesMost, () => performance.now(), gaveWay)
  const responses = new WeakMap<IncomingMessage, ServerResponse>()
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', async (request, reply) => {
    refuseUnreadable(request)
    responses.set(request.raw, reply.raw)
  })
  app.addContentTypeParser('application/json', async ({ raw, routeOptions }: FastifyRequest) => {
    const response = responses.get(raw)
    if (response === undefined) throw new TypeError('the body belongs to no request')
    return parsedFrom(await receiveBody(raw, { room, response, bytesMost: routeOptions.bodyLimit }))
  })
}

/** A compressed body can expand to any size, and a chunked body can have any length. */
const refuseUnreadable = ({ raw }: FastifyRequest): void => {
  const encoding = raw.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Refused('encoding')
  if (announcedLength(raw) === undefined) throw new Refused('noLength')
}

/** Drops the bytes. From now on, the memory of the parsed value counts instead of the body. */
const parsedFrom = (read: BodyRead): unknown => {
  if (read.is === 'fault') throw new Refused(read.fault)
  const { body, place } = read
  try {
    const { weight, parsed } = checkedBody(body.bytes)
    if (!place.takes(weight)) throw new Refused('noRoom')
    place.isBeingAnswered()
    return parsed()
  } finally {
    body.forget()
  }
}

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
