// Reads bodies: JSON, neither compressed nor chunked, within the memory that the listener has for all bodies. Callers of webhooks
// seldom authenticate, so a body is read only when there is room for it, and its room is free again when it is answered.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { byteBudget } from '../../core/bounds/byte-budget.ts'
import { announcedLength, type BodyRead, receiveBody } from '../../listener/receive-body.ts'
import { Refused } from '../errors.ts'
import { checkedBody } from './json-body.ts'

/** `bytesMost`: for all bodies together; the route says how large one body may be. `gaveWay` is called for each that found no room. */
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
    if (response === undefined) throw new TypeError('a body of no request')
    return parsedFrom(await receiveBody(raw, { room, response, bytesMost: routeOptions.bodyLimit }))
  })
}

/** A compressed body may grow to any size, and a chunked one may have any length. */
const refuseUnreadable = ({ raw }: FastifyRequest): void => {
  const encoding = raw.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Refused('encoding')
  if (announcedLength(raw) === undefined) throw new Refused('noLength')
}

/** The bytes are dropped at once; from here on the body counts with the memory of its parsed value. */
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
