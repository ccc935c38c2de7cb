// Decides whether this host is ready: the API server answers, and the host is not stopping. Stops a host without losing requests: it drains
// (reports not ready but accepts calls), then running calls get the grace period. Remaining calls are aborted, and their callers repeat them.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../core/log.ts'
import type { Client } from '../kube/client-types.ts'

export type HostReadiness = {
  /** Faults by check. Empty when the host is ready. */
  faults(): Promise<Readonly<Record<string, string>>>
  ends(): void
  readonly isEnding: boolean
}

type ReadinessParts = {
  client: () => Promise<Client>
  /** Probes within this time share one request to the API server. */
  freshMilliseconds?: number
  patienceMilliseconds?: number
}

export const readiness = (parts: ReadinessParts): HostReadiness => {
  const { freshMilliseconds = 3_000, patienceMilliseconds = 2_000 } = parts
  let isEnding = false
  let last: { at: number; fault: Promise<string | undefined> } | undefined
  const apiServerFault = (): Promise<string | undefined> => {
    if (last === undefined || performance.now() - last.at >= freshMilliseconds) {
      last = { at: performance.now(), fault: faultOf(parts.client, patienceMilliseconds) }
    }
    return last.fault
  }
  return {
    faults: async (): Promise<Record<string, string>> => {
      if (isEnding) return { host: 'it is shutting down' }
      const apiServer = await apiServerFault()
      return apiServer === undefined ? {} : { apiServer }
    },
    ends: () => {
      isEnding = true
    },
    get isEnding() {
      return isEnding
    },
  }
}

const faultOf = async (client: () => Promise<Client>, milliseconds: number): Promise<string | undefined> => {
  const bounds = { signal: AbortSignal.timeout(milliseconds), lastRequestAt: performance.now() + milliseconds }
  try {
    await (await client()).bound(bounds).raw({ method: 'GET', path: '/version' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.name : 'unknown'
  }
}

type StopParts = {
  apps: readonly FastifyInstance[]
  readiness: HostReadiness
  drainSeconds: number
  graceSeconds: number
  log: Log
}

/** Answers of a stopping host close their connections, so that callers connect to another host. */
export const closeConnectionsAtEnd = (app: FastifyInstance, readiness: HostReadiness): void => {
  app.addHook('onSend', async (_, reply) => {
    if (readiness.isEnding) reply.header('connection', 'close')
  })
}

/** Resolves when nothing is served any more. True if no call was aborted. */
export const stopped = async ({ apps, readiness, drainSeconds, graceSeconds, log }: StopParts): Promise<boolean> => {
  readiness.ends()
  log.info({ drainSeconds, graceSeconds }, 'the host ends')
  await wait(drainSeconds * 1_000)
  const closed = Promise.all(apps.map(app => app.close())).then(() => true)
  const isClean = await Promise.race([closed, wait(graceSeconds * 1_000, false, { ref: false })])
  if (isClean) return true
  log.warn({}, 'the grace period is over: running calls are aborted')
  for (const app of apps) app.server.closeAllConnections()
  await closed
  return false
}

/** SIGTERM and SIGINT stop the host, and the process exits with 0. A second signal ends the process immediately. */
export const stopOnSignals = (stop: () => Promise<unknown>): void => {
  const end = async (): Promise<void> => {
    await stop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
}
