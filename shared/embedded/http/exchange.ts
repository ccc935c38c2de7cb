// A request to a cluster, and the response to it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cluster } from '../cluster.ts'

export type Exchange = {
  readonly cluster: Cluster
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export const queryOf = ({ url = '/' }: IncomingMessage): URLSearchParams => {
  const split = url.indexOf('?')
  return new URLSearchParams(split === -1 ? '' : url.slice(split + 1))
}
