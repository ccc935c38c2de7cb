// Stops a host without losing requests. First the host drains: it reports not ready but still accepts calls. Then it accepts no new calls,
// and running calls get the grace period. Remaining calls are aborted, which is safe for functions, but their callers must repeat the
// calls.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../core/log.ts'
import type { HostReadiness } from './readiness.ts'

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
