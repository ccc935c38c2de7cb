// How an app takes bodies: JSON, neither compressed nor in chunks, in the memory that its listener has for bodies. Callers of
// webhooks seldom prove who they are, so a body is not read until there is room for it, and keeps its place until it is answered.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { byteBudget } from '../../core/byte-budget.ts'
import { announcedLength, type BodyRead, receiveBody } from '../../listener/receive-body.ts'
import { Refused } from '../errors.ts'
import { checkedBody } from './json-body.ts'

/** `bytesMost`: of all bodies together. How large one may be stands in its route. */
export const takeJsonBodies = (app: FastifyInstance, bytesMost: number): void => {
  const room = byteBudget(bytesMost, () => performance.now())
  const responses = new WeakMap<IncomingMessage, ServerResponse>()
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', async (request, reply) => {
    refuseUnreadable(request)
    responses.set(request.raw, reply.raw)
  })
  app.addContentTypeParser('application/json', async ({ raw, routeOptions }: FastifyRequest) => {
    const response = responses.get(raw)
    if (response === undefined) throw new TypeError('a body of no request')
    return parsedFrom(await receiveBody(raw, { room, response, bytesMost: routeOptions.bodyLimit }))
  })
}

/** A compressed body could unfold into any size, one in chunks could have any, and each chunk costs more than its bytes. */
const refuseUnreadable = ({ raw }: FastifyRequest): void => {
  const encoding = raw.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Refused('encoding')
  if (announcedLength(raw) === undefined) throw new Refused('noLength')
}

/** The bytes are forgotten at once; from here on the body weighs what its value does. */
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
