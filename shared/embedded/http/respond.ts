// Writes responses: replies in the form that the client accepts, errors as Status objects.
import type { ServerResponse } from 'node:http'
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { internal, StatusError } from '../status.ts'
import { Stored } from '../storage/stored.ts'
import type { Reply } from '../verbs/call.ts'
import type { ObjectForm } from './forms.ts'

export const respondJson = (
  response: ServerResponse,
  code: number,
  text: string,
  contentType = 'application/json',
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(code, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-cache, private',
    ...headers,
  })
  response.end(text)
}

export const respondText = (response: ServerResponse, code: number, text: string): void =>
  respondJson(response, code, text, 'text/plain; charset=utf-8')

export const respondReply = (response: ServerResponse, reply: Reply, form: ObjectForm): void => {
  if (reply.is === 'list') respondJson(response, 200, form.list(reply.list, reply.kind), form.contentType)
  else if (reply.is === 'stored')
    respondJson(response, reply.code, form.object(reply.stored, reply.kind), form.contentType)
  else if (!reply.kind) respondJson(response, reply.code, JSON.stringify(reply.object))
  else {
    const object = { kind: reply.kind.kind, apiVersion: apiVersionOf(reply.kind), ...reply.object } as KubeObject
    respondJson(response, reply.code, form.object(new Stored(object, 0), reply.kind), form.contentType)
  }
}

/** If all warnings together are longer, each warning is cut. */
const warningCharactersMost = { together: 4_096, each: 256 }

const withinBounds = (warnings: readonly string[]): string[] => {
  const { together, each } = warningCharactersMost
  if (warnings.join('').length <= together) return [...warnings]
  return warnings.slice(0, together / each).map(warning => warning.slice(0, each))
}

export const addWarnings = (response: ServerResponse, warnings: Iterable<string>): void => {
  const lines = withinBounds([...warnings]).map(
    warning => `299 - ${JSON.stringify(warning.replace(/[^\x20-\x7e]/g, '?'))}`,
  )
  if (lines.length) response.setHeader('warning', lines)
}

/** An error that is not a StatusError is a defect of this server, and becomes a 500. */
export const respondError = (response: ServerResponse, error: unknown): void => {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const known = error instanceof StatusError ? error : internal(errorText(error))
  const { retryAfterSeconds } = known.details ?? {}
  if (retryAfterSeconds) response.setHeader('retry-after', String(retryAfterSeconds))
  respondJson(response, known.code, JSON.stringify(known.toStatus()))
}
