// The least that can do what a relay does when it starts: list everything page by page, and post every name.
import { Pool } from 'undici'
import { type ApiServer, type BareCredentials, bareApi, barePages } from '../measure/bare-api.ts'
import { collection } from '../measure/config-maps.ts'
import { inParallel } from '../measure/load.ts'
import { serveParent } from '../measure/worker.ts'

export type Resync = {
  readonly server: ApiServer
  readonly credentials: BareCredentials
  readonly hostUrl: string
  /** Calls under way at once. */
  readonly concurrency: number
}

const commands = {
  resync: async ({ server, credentials, hostUrl, concurrency }: Resync): Promise<void> => {
    const api = bareApi(server, credentials)
    const host = new Pool(hostUrl, { connections: concurrency })
    const headers = { 'content-type': 'application/json' }
    for await (const { items } of barePages(api, collection))
      await inParallel(items.length, concurrency, async n => {
        const { metadata } = items[n] as { metadata: { namespace: string; name: string } }
        const body = JSON.stringify({ namespace: metadata.namespace, name: metadata.name })
        const answer = await host.request({ method: 'POST', path: '/functions/bench', headers, body })
        await answer.body.json()
      })
    await Promise.all([api.close(), host.close()])
  },
}

export type BareResync = typeof commands

serveParent(commands)
