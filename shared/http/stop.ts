// The end of a host without a lost request: first it drains, so that others learn that it ends while it still takes
// calls; then it takes no more, and those in flight have the grace period to end; what still runs then is broken off.
// Calls that are broken off lose nothing either, for functions may be killed anywhere, but their callers have to try
// again.

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

/** Once the host is about to end, answers ask their callers to open new connections, which lead elsewhere. */
export const closeConnectionsAtEnd = (app: FastifyInstance, readiness: HostReadiness): void => {
  app.addHook('onSend', async (_, reply) => {
    if (readiness.isEnding) reply.header('connection', 'close')
  })
}

/** Resolves when nothing is served any more. True: no call was broken off. */
export const stopped = async ({ apps, readiness, drainSeconds, graceSeconds, log }: StopParts): Promise<boolean> => {
  readiness.ends()
  log.info({ drainSeconds, graceSeconds }, 'the host ends')
  await wait(drainSeconds * 1_000)
  const closed = Promise.all(apps.map(app => app.close())).then(() => true)
  const isClean = await Promise.race([closed, wait(graceSeconds * 1_000, false, { ref: false })])
  if (isClean) return true
  log.warn({}, 'the grace period is over: calls in flight are broken off')
  for (const app of apps) app.server.closeAllConnections()
  await closed
  return false
}

/** SIGTERM and SIGINT stop the host, and the process ends with 0. A second signal ends it at once. */
export const stopOnSignals = (stop: () => Promise<unknown>): void => {
  const end = async (): Promise<void> => {
    await stop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
}
