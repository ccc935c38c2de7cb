// Limits the open connections of a listener. Above the limit, the caller with the most connections loses the connection that was idle
// longest. Connections without a complete request count as idle. If unread answers need too much memory, the caller with the most bytes
// loses the oldest connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Guest, givesWay } from '../core/bounds/bytes.ts'

type OpenConnections = {
  /** Adds a new connection. Closes one connection if there are too many. */
  opened(socket: Socket): void
  /** Whether to answer the request. False on a closed connection, and while four earlier requests on the connection have no answer. */
  takes(request: IncomingMessage, response: ServerResponse): boolean
}

type Connection = Guest & { readonly socket: Socket; readonly unanswered: Set<ServerResponse>; since: number }

/** No known client sends a second request before the first answer. Each request without an answer costs a hundred times its bytes. */
const unansweredMost = 4

type ConnectionsOptions = {
  readonly most: number
  /** Limit of bytes in unread answers. The connection with the most bytes does not count, because a scrape may have any size. */
  readonly unfetchedBytesMost: number
  /** Called for each connection that is closed because of a limit. */
  reached(limit: 'connections' | 'unansweredRequests' | 'unfetchedBytes'): void
}

/** `now`: milliseconds. */
export const openConnections = (
  { most, unfetchedBytesMost, reached }: ConnectionsOptions,
  now = (): number => performance.now(),
): OpenConnections => {
  const open = new Map<string, Connection>()
  /** Connections with unsent answers at the last check. */
  const unfetched = new Set<Connection>()
  const end = (connection: Connection, limit: 'connections' | 'unfetchedBytes'): void => {
    reached(limit)
    open.delete(peerOf(connection.socket))
    unfetched.delete(connection)
    connection.socket.destroy()
  }
  const makeRoom = (): void => {
    const loser = givesWay(open.values(), ({ since }) => since)
    if (loser) end(loser, 'connections')
  }
  const makeRoomForAnswers = (): void => {
    const loser = mostUnfetched(unfetched, unfetchedBytesMost)
    if (loser === undefined) return
    end(loser.connection, 'unfetchedBytes')
    makeRoomForAnswers()
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
      response.once('prefinish', () => {
        if (response.writableLength === 0) return
        unfetched.add(connection)
        makeRoomForAnswers()
      })
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
    from: socket.remoteAddress ?? '',
    weight: 1,
    socket,
    unanswered,
    since,
    // True while we work on an answer. A request that is still arriving, or an answer that the caller does not read, counts as idle.
    get isBusy() {
      return [...unanswered].some(({ req, writableEnded }) => req.complete && !writableEnded)
    },
  }
}

/** The next connection to close; undefined below the limit. Removes connections without unread bytes from the set. */
const mostUnfetched = (unfetched: Set<Connection>, bytesMost: number) => {
  for (const connection of unfetched) if (unfetchedBytes(connection) === 0) unfetched.delete(connection)
  const held = [...unfetched].map(connection => ({
    connection,
    from: connection.from,
    weight: unfetchedBytes(connection),
    isBusy: false,
  }))
  const largest = Math.max(...held.map(({ weight }) => weight))
  const bytes = held.reduce((sum, { weight }) => sum + weight, 0)
  return bytes - largest > bytesMost ? givesWay(held, ({ connection }) => connection.since) : undefined
}

/** Includes answers that wait for an earlier answer on the connection. */
const unfetchedBytes = ({ unanswered }: Connection): number =>
  [...unanswered].reduce((sum, { writableLength }) => sum + writableLength, 0)

/** The result is equal for a TLS socket and its underlying socket. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
