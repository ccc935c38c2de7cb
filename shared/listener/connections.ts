// The open connections of a listener. When there are too many, the caller that has most loses the one that was idle longest; connections
// that never sent a request, or send it bit by bit, count as idle.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Guest, givesWay } from '../core/gives-way.ts'

type OpenConnections = {
  /** Notes a new connection; when there are too many, one of them ends. */
  opened(socket: Socket): void
  /** Whether to answer the request: not on a connection that was ended, nor while four others on it wait for answers. */
  takes(request: IncomingMessage, response: ServerResponse): boolean
}

type Connection = Guest & { readonly socket: Socket; readonly unanswered: Set<ServerResponse>; since: number }

/** No client we know sends a second request before the first is answered; each such request costs a hundred times its bytes. */
const unansweredMost = 4

type ConnectionsOptions = {
  readonly most: number
  /** Called for each connection that ends because a limit was reached. */
  reached(limit: 'connections' | 'unansweredRequests'): void
}

/** `now` in milliseconds. */
export const openConnections = (
  { most, reached }: ConnectionsOptions,
  now = (): number => performance.now(),
): OpenConnections => {
  const open = new Map<string, Connection>()
  const makeRoom = (): void => {
    const loser = givesWay(open.values(), ({ since }) => since)
    if (loser === undefined) return
    reached('connections')
    open.delete(peerOf(loser.socket))
    loser.socket.destroy()
  }
  return {
    opened: socket => {
      const peer = peerOf(socket)
      const connection = newConnection(socket, now())
      open.set(peer, connection)
      socket.once('close', () => {
        if (open.get(peer) === connection) open.delete(peer)
      })
      if (open.size > most) makeRoom()
    },
    takes: (request, response) => {
      const connection = open.get(peerOf(request.socket))
      const hasTooMany = connection?.unanswered.size === unansweredMost
      if (hasTooMany) reached('unansweredRequests')
      if (connection === undefined || hasTooMany) {
        request.socket.destroy()
        return false
      }
      connection.unanswered.add(response)
      response.once('close', () => {
        connection.unanswered.delete(response)
        connection.since = now()
      })
      return true
    },
  }
}

const newConnection = (socket: Socket, since: number): Connection => {
  const unanswered = new Set<ServerResponse>()
  return {
    ...{ from: socket.remoteAddress ?? '', weight: 1, socket, unanswered, since },
    // Busy while we work on an answer. A request that still arrives, or an answer that the caller does not read, counts as idle.
    get isBusy() {
      return [...unanswered].some(({ req, writableEnded }) => req.complete && !writableEnded)
    },
  }
}

/** The same for a TLS socket and the socket below it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
