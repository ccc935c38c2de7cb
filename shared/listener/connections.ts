// The open connections of a listener. When there are too many, the caller that has most loses the one that was idle longest; connections
// that never sent a request, or send it bit by bit, count as idle. When answers that nobody fetches hold too much memory, the caller that
// holds most loses the oldest of them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Guest, givesWay } from '../core/bounds/gives-way.ts'

type OpenConnections = {
  /** Counts a new connection. If there are too many connections, one of them is closed. */
  opened(socket: Socket): void
  /** Whether to answer the request: not on a connection that was ended, nor while four others on it wait for answers. */
  takes(request: IncomingMessage, response: ServerResponse): boolean
}

type Connection = Guest & { readonly socket: Socket; readonly unanswered: Set<ServerResponse>; since: number }

/** No client we know sends a second request before the first is answered; each such request costs a hundred times its bytes. */
const unansweredMost = 4

type ConnectionsOptions = {
  readonly most: number
  /** So many bytes may wait in answers that their callers do not fetch, all but the largest together: a scrape may be of any size. */
  readonly unfetchedBytesMost: number
  /** Called for each connection that ends because a limit was reached. */
  reached(limit: 'connections' | 'unansweredRequests' | 'unfetchedBytes'): void
}

/** `now` in milliseconds. */
export const openConnections = (
  { most, unfetchedBytesMost, reached }: ConnectionsOptions,
  now = (): number => performance.now(),
): OpenConnections => {
  const open = new Map<string, Connection>()
  /** With answers that were not all sent when they were last looked at. */
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
    // Busy while we work on an answer. A request that still arrives, or an answer that the caller does not read, counts as idle.
    get isBusy() {
      return [...unanswered].some(({ req, writableEnded }) => req.complete && !writableEnded)
    },
  }
}

/** Whose answers must give way; undefined while they do not hold too much. Whose answers were all sent is no longer looked at. */
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

/** An answer that waits for an earlier answer on its connection counts as well. */
const unfetchedBytes = ({ unanswered }: Connection): number =>
  [...unanswered].reduce((sum, { writableLength }) => sum + writableLength, 0)

/** The same for a TLS socket and the socket below it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
