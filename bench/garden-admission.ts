// `npm run bench:garden-admission [-- --seconds 5]`: garden-admission over HTTPS beside a bare node:https server, each in a
// process of its own, called from this one in turns.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fill } from '../functions/garden-admission/review.ts'
import { jsonPatch } from '../shared/core/json-patch.ts'
import type { KubeObject } from '../shared/core/object.ts'
import type { AdmissionRequest } from '../shared/runtime/definition.ts'
import { newAuthority } from '../tests/harness/certificates.ts'
import { creationReview, garden, updateReview } from './measure/garden-object.ts'
import { compared } from './measure/load.ts'
import { peakResidentMegabytes, residentMegabytes } from './measure/process.ts'
import { figures, print, progress, type Row, ratio } from './measure/report.ts'
import { type Asked, type ReviewServer, reviewServer } from './measure/review-server.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } })
const seconds = Number(values.seconds)

const path = (does: 'default' | 'validate'): string =>
  `/webhooks/${does}-operator-gardener-cloud-v1alpha1-garden?timeout=10s`

/** The Garden as the mutating webhook hands it on. */
const filled = (object: KubeObject): KubeObject => {
  const verdict = fill({ object } as AdmissionRequest)
  if (!verdict.allowed || !verdict.object) throw new Error('nothing was filled in')
  return verdict.object
}

type Spec = { runtimeCluster: { networking: object }; virtualCluster: { kubernetes: { kubeAPIServer: object } } }

const changed = (object: KubeObject, change: (spec: Spec) => void): KubeObject => {
  const copy = structuredClone(object)
  change(copy.spec as Spec)
  return copy
}

const sent = changed(garden(), ({ runtimeCluster, virtualCluster: { kubernetes } }) => {
  Object.assign(runtimeCluster.networking, { ipFamilies: undefined })
  const absent = { requests: undefined, eventTTL: undefined, logging: undefined, encryptionConfig: undefined }
  Object.assign(kubernetes.kubeAPIServer, absent)
})
const stored = filled(sent)
const annotated = {
  ...stored,
  metadata: { ...stored.metadata, annotations: { 'gardener.cloud/operation': 'reconcile' } },
}
const downgraded = changed(stored, ({ virtualCluster }) =>
  Object.assign(virtualCluster.kubernetes, { version: '1.33.0' }),
)

const reviews: Readonly<Record<string, Asked>> = {
  'create, defaulted': { path: path('default'), text: creationReview(sent), isAllowed: true },
  'create, validated': { path: path('validate'), text: creationReview(stored), isAllowed: true },
  'update, validated': { path: path('validate'), text: updateReview(annotated, stored), isAllowed: true },
  'update, refused': {
    path: path('validate'),
    text: updateReview(downgraded, stored),
    isAllowed: false,
  },
}

const about = `Reviews of the full sample of a Garden (${figures(Buffer.byteLength(reviews['create, validated']?.text('') ?? ''))} bytes, updates twice that) through everything the host does for
a webhook; defaulting adds ${jsonPatch(sent, stored).length} fields. Beside it a bare node:https server that parses the review and allows it. Every caller has a
connection of its own; servers and callers share the cores. CPU is what the server's process computed for each review; its
inverse is the reviews a core does in a second. The handlers of the Go operator are not beside it: not every
module that its release 1.150 needs could be fetched.`

type Both<T> = Record<'host' | 'bare', T>

const run = async (folder: string): Promise<void> => {
  const authority = await newAuthority('bench')
  const { certificate, key } = await authority.serving({ ip: ['127.0.0.1'] })
  writeFileSync(join(folder, 'tls.crt'), certificate)
  writeFileSync(join(folder, 'tls.key'), key)
  const certificates = { folder, ca: authority.certificate }
  const host = await reviewServer('garden-admission-host.ts', certificates)
  const bare = await reviewServer('bare-review-server.ts', certificates)
  const rows: Row[] = []
  for (const [review, asked] of Object.entries(reviews)) {
    for (const callers of [1, 16, 64]) {
      progress(`${review}: ${callers} callers, ${seconds} s each`)
      rows.push({ review, callers, ...(await measured({ host, bare }, asked, callers)) })
    }
  }
  const tables = [rows, [memoryOf('host', host), memoryOf('bare', bare)]]
  await Promise.all([host.close(), bare.close()])
  print({ title: 'Admission of Gardens', about, tables })
}

const measured = async ({ host, bare }: Both<ReviewServer>, asked: Asked, callers: number): Promise<Row> => {
  const contestants = { host: host.call(asked), bare: bare.call({ ...asked, isAllowed: true }) }
  const tallies = await compared(contestants, { callers, seconds })
  const cpu = { host: host.cpuMilliseconds(), bare: bare.cpuMilliseconds() }
  return {
    'host /s': tallies.host.perSecond,
    'bare /s': tallies.bare.perSecond,
    'host : bare': ratio(tallies.host.perSecond, tallies.bare.perSecond),
    'host p50 ms': tallies.host.milliseconds(0.5),
    'host p99 ms': tallies.host.milliseconds(0.99),
    'bare p99 ms': tallies.bare.milliseconds(0.99),
    'host CPU ms': cpu.host,
    'bare CPU ms': cpu.bare,
    'host /s per core': 1_000 / cpu.host,
    failures: tallies.host.failures + tallies.bare.failures,
  }
}

const memoryOf = (server: string, { pid }: ReviewServer): Row => ({
  server,
  'RSS at the end MB': residentMegabytes(pid),
  'at most MB': peakResidentMegabytes(pid),
})

const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'))
try {
  await run(folder)
} finally {
  rmSync(folder, { recursive: true })
}
