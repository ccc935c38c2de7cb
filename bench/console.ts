// `npm run bench:console`: the console over 5,000 Components: how soon a page begins, what the states hold in memory, and how long reviews of the
// same host take while people look at it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { componentCrd } from '../shared/api/component/crd.ts'
import { serviceAccountToken } from '../tests/harness/clusters/service-account.ts'
import { type BareApi, bareApi } from './measure/bare-api.ts'
import { creationReview, garden } from './measure/garden-object.ts'
import { compared, inParallel, median, type Slice } from './measure/load.ts'
import { figures, type Goal, print, progress, ratio } from './measure/report.ts'
import { type Asked, begunReviewServer, certificatesIn } from './measure/review-server.ts'
import { startWorker } from './measure/worker.ts'
import type { AdmissionHost } from './programs/admission-host.ts'
import type { EmbeddedServer } from './programs/embedded-server.ts'
import { reviewPath } from './programs/garden-review.ts'

const objects = 5_000
const namespaces = 20
const pages = 100
const viewers = 5
const changesPerSecond = 50
const firstByteGoal = 300

const about = `A console over ${figures(objects)} Components in ${namespaces} namespaces of an embedded cluster. The first page is asked before
anything was read. Reviews take turns: alone, and while ${viewers} viewers load the overview every two seconds and ${changesPerSecond} Components
change a second. The viewers look at the console of one host all the time. Reviews are answered by that host, or by another host that nobody
looks at. Viewers, API server, hosts and the callers of reviews share the cores in both cases, so the difference is what the console costs its
host.`

const group = '/apis/core.espalier.dev/v1alpha1'
const place = (at: number): string => `shop-${at % namespaces}`
const component = (at: number, image: string) => ({
  ...{
    apiVersion: 'core.espalier.dev/v1alpha1',
    kind: 'Component',
    metadata: { name: `c${at}`, namespace: place(at) },
  },
  spec: {
    source: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${at}` }, data: { image } }] },
  },
})

const asked: Asked = { path: `/webhooks/${reviewPath}?timeout=10s`, text: creationReview(garden()), isAllowed: true }

const fill = async (api: BareApi): Promise<void> => {
  await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: componentCrd() })
  for (let at = 0; at < namespaces; at++)
    await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: place(at) } } })
  await wait(1_000)
  await inParallel(objects, 32, at =>
    api.call('POST', `${group}/namespaces/${place(at)}/components`, { body: component(at, 'a') }),
  )
  const account = { metadata: { name: 'viewer', namespace: place(0) } }
  await api.call('POST', `/api/v1/namespaces/${place(0)}/serviceaccounts`, { body: account })
  await api.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    body: {
      metadata: { name: 'viewer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'viewer', namespace: place(0) }],
    },
  })
}

/** Milliseconds to the head of the answer, and its text. */
const page = async (url: string, token: string): Promise<{ milliseconds: number; text: string }> => {
  const began = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const milliseconds = performance.now() - began
  return { milliseconds, text: await answer.text() }
}

const run = async (folder: string): Promise<void> => {
  const cluster = startWorker<EmbeddedServer>('embedded-server.ts', ['--expose-gc'])
  const server = await cluster.ask('begin')
  const api = bareApi(server, server)
  progress(`making ${objects} Components`)
  await fill(api)
  const token = await serviceAccountToken(
    { ...server, admin: server },
    { namespace: place(0), name: 'viewer' },
    { audience: 'espalier', seconds: 3_600 },
  )
  const host = startWorker<AdmissionHost>('admission-host.ts', ['--expose-gc'])
  const other = startWorker<AdmissionHost>('admission-host.ts', ['--expose-gc'])
  for (const one of [host, other]) await one.ask('serveConsoleOf', server)
  const certificates = await certificatesIn(folder)
  const [reviews, unseen] = await Promise.all([host, other].map(one => begunReviewServer(one, certificates)))
  if (!reviews || !unseen) throw new Error('a host has not begun')
  const overview = `http://127.0.0.1:${await host.ask('consolePort')}/`
  const before = await host.ask('heldMegabytes')
  const first = await page(overview, token)
  const began = performance.now()
  while ((await page(overview, token)).text.includes('still being read')) await wait(50)
  const listed = performance.now() - began
  const after = await host.ask('heldMegabytes')
  const times: number[] = []
  for (let at = 0; at < pages; at++) times.push((await page(`${overview}?page=${(at % 50) + 1}`, token)).milliseconds)
  progress('reviews, alone and beside viewers')
  const beside = (slice: Slice) => besideViewers(slice, { api, overview, token })
  const tallies = await compared(
    { alone: unseen.call(asked), otherHost: unseen.call(asked), sameHost: reviews.call(asked) },
    { callers: 4, seconds: 30, sliceSeconds: 5, during: { otherHost: beside, sameHost: beside } },
  )
  const p99 = Object.values(tallies).map(tally => tally.milliseconds(0.99))
  const [alone = Number.NaN, otherHost = Number.NaN, sameHost = Number.NaN] = p99
  const slowest = Math.max(first.milliseconds, ...times)
  print({
    title: 'Console',
    about,
    tables: [
      [
        { page: 'the first, nothing read yet', 'ms to the first byte': first.milliseconds },
        { page: 'median of the others', 'ms to the first byte': median(times) },
        { page: 'the slowest', 'ms to the first byte': slowest },
      ],
      [{ 'all read after ms': listed, 'MB held for all states': after - before }],
      [
        { reviews: 'alone', 'p99 ms': alone, ': alone': '' },
        { reviews: 'viewers at another host', 'p99 ms': otherHost, ': alone': ratio(otherHost, alone) },
        { reviews: 'viewers at the same host', 'p99 ms': sameHost, ': alone': ratio(sameHost, alone) },
      ],
    ],
    goals: [firstByteOf(slowest), reviewsOf(sameHost / otherHost)],
  })
  await api.close()
  await reviews.close()
  await unseen.close()
  await cluster.end()
}

type Viewing = { readonly api: BareApi; readonly overview: string; readonly token: string }

const besideViewers = async (slice: Slice, { api, overview, token }: Viewing): Promise<void> => {
  let isOver = false
  const again = async (pause: number, act: () => Promise<unknown>): Promise<void> => {
    while (!isOver) {
      await act()
      await wait(pause)
    }
  }
  let turn = 0
  const change = () => {
    const at = turn++ % objects
    const sent = { body: component(at, String(turn)), contentType: 'application/merge-patch+json' }
    return api.call('PATCH', `${group}/namespaces/${place(at)}/components/c${at}`, sent)
  }
  const others = [
    ...Array.from({ length: viewers }, () => again(2_000, () => page(overview, token))),
    again(1_000 / changesPerSecond, change),
  ]
  await slice()
  isOver = true
  await Promise.all(others)
}

const firstByteOf = (slowest: number): Goal => ({
  asks: `SEE-82 the first byte of a page within ${firstByteGoal} ms`,
  found: `${figures(slowest)} ms at most`,
  isMet: slowest < firstByteGoal,
})

/** A tenth more counts as the same. */
const reviewsOf = (sameToOther: number): Goal => ({
  asks: 'SEE-82 p99 of reviews with viewers at the same host as with viewers at another',
  found: `${figures(sameToOther)} times`,
  isMet: sameToOther <= 1.1,
})

const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'))
try {
  await run(folder)
} finally {
  rmSync(folder, { recursive: true })
}
