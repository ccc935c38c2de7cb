// Looks through the Pods of a mesh as istio does, in a process that has loaded all of it; and as little as possible, beside it.
import '../../functions/istio/index.ts'
import { surveyPods } from '../../functions/istio/gather/sidecars.ts'
import { staleAgainst } from '../../functions/istio/rules/restarts/stale-pod.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { bareApi, barePages } from '../measure/bare-api.ts'
import { serveParent } from '../measure/worker.ts'

export type Looked = { readonly seconds: number; readonly stale: number }

const seconds = (time: string): number => Date.parse(time) / 1000

const timed = async (look: () => Promise<number>): Promise<Looked> => {
  const begun = performance.now()
  const stale = await look()
  return { stale, seconds: (performance.now() - begun) / 1000 }
}

const commands = {
  survey: (server: string, image: string): Promise<Looked> =>
    timed(async () => {
      const client = createClient({ server, credentials: () => ({ token: 'bench' }) })
      const survey = await surveyPods(client, {
        staleOf: staleAgainst({ image, resources: {}, metrics: { isMerged: false, port: '15020' }, hasCni: true }),
        since: seconds('2026-01-01T12:00:00Z'),
        now: seconds('2026-01-02T01:00:00Z'),
        tried: new Map(),
        wasRefused: () => false,
        isGivenUp: () => false,
      })
      await client.close()
      return survey.stuck.length
    }),
  bare: (url: string, image: string): Promise<Looked> =>
    timed(async () => {
      const api = bareApi({ url, caData: '' }, { token: 'bench' })
      let stale = 0
      for await (const { items } of barePages(api, '/api/v1/pods', { pageSize: 100 }))
        for (const item of items) if (!JSON.stringify((item as { spec: unknown }).spec).includes(image)) stale++
      await api.close()
      return stale
    }),
}

export type PodSurveying = typeof commands

serveParent(commands)
