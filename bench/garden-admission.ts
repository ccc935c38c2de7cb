// `npm run bench:garden-admission [-- --seconds 5]`: garden-admission over HTTPS beside the webhooks of the Gardener operator
// and beside a bare node:https server, each in a process of its own, called from this one in turns.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fill } from '../functions/garden-admission/review.ts'
import { jsonPatch } from '../shared/core/json/json-patch.ts'
import type { KubeObject } from '../shared/core/objects/object.ts'
import type { AdmissionRequest } from '../shared/runtime/definition.ts'
import { gardenerRelease, gardenerWebhooksProgram } from '../tests/harness/control-plane/binaries.ts'
import { creationReview, garden, updateReview } from './measure/garden-object.ts'
import { compared, median, type Tally } from './measure/load.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import {
  type Asked,
  certificatesIn,
  foreignReviewServer,
  memoryOf,
  type ReviewServer,
  reviewServer,
} from './measure/review-server.ts'

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

type Fields = Record<string, object>
type Spec = {
  extensions?: unknown
  runtimeCluster: { networking: object }
  virtualCluster: { kubernetes: { kubeAPIServer: object; kubeControllerManager: object }; gardener: Fields }
}

const changed = (object: KubeObject, change: (spec: Spec) => void): KubeObject => {
  const copy = structuredClone(object)
  change(copy.spec as Spec)
  return copy
}

const absent = (...fields: string[]): object => Object.fromEntries(fields.map(field => [field, undefined]))

/** The full sample, but for what the operator's release refuses: it is older, and judges fields that we only keep. */
const acceptable = changed(garden(), spec => {
  const { kubernetes, gardener } = spec.virtualCluster
  Object.assign(spec, absent('extensions'))
  Object.assign(kubernetes, { version: '1.33.3' })
  const ofNodes = ['horizontalPodAutoscaler', 'nodeMonitorGracePeriod', 'podEvictionTimeout']
  Object.assign(kubernetes.kubeControllerManager, absent(...ofNodes, 'nodeCIDRMaskSize', 'nodeCIDRMaskSizeIPv6'))
  Object.assign(gardener.gardenerDashboard ?? {}, absent('oidcConfig'))
})

const sent = changed(acceptable, ({ runtimeCluster, virtualCluster: { kubernetes } }) => {
  Object.assign(runtimeCluster.networking, absent('ipFamilies'))
  Object.assign(kubernetes.kubeAPIServer, absent('requests', 'eventTTL', 'logging', 'encryptionConfig'))
})
const stored = filled(sent)
const annotated = {
  ...stored,
  metadata: { ...stored.metadata, annotations: { 'gardener.cloud/operation': 'reconcile' } },
}
const downgraded = changed(stored, ({ virtualCluster }) =>
  Object.assign(virtualCluster.kubernetes, { version: '1.32.9' }),
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
a webhook; defaulting adds ${jsonPatch(sent, stored).length} fields. Beside it the handlers of the Gardener operator ${gardenerRelease()}, on the webhook
server that they run on, their client stubbed to find nothing (1.150 cannot be built, as Go's public proxy lacks a module of it;
fields that the older release refuses are left out of the sample), and a bare node:https server that parses the review and allows
it. Every caller has a connection of its own; servers and callers share the cores. CPU is what the server's process computed
for each review, on whichever core; its inverse is the reviews a core does in a second.`

type Contestant = 'host' | 'operator' | 'bare'
type Each<T> = Readonly<Record<Contestant, T>>

const run = async (folder: string): Promise<void> => {
  const certificates = await certificatesIn(folder)
  const servers = {
    host: await reviewServer('garden-admission-host.ts', certificates),
    operator: await foreignReviewServer(await gardenerWebhooksProgram(progress), certificates),
    bare: await reviewServer('bare-review-server.ts', certificates),
  }
  const figuresOf: Figures[] = []
  for (const [review, asked] of Object.entries(reviews)) {
    for (const callers of [1, 16, 64]) {
      progress(`${review}: ${callers} callers, ${seconds} s each`)
      figuresOf.push({ review, callers, ...(await measured(servers, asked, callers)) })
    }
  }
  const memory = Object.entries(servers).map(([name, server]) => memoryOf(name, server))
  await Promise.all(Object.values(servers).map(server => server.close()))
  print({ title: 'Admission of Gardens', about, tables: [figuresOf.map(rowOf), memory], goals: [goalOf(figuresOf)] })
}

type Measured = { readonly tallies: Each<Tally>; readonly cpu: Each<number> }
type Figures = Measured & { readonly review: string; readonly callers: number }

const measured = async (servers: Each<ReviewServer>, asked: Asked, callers: number): Promise<Measured> => {
  const { host, operator, bare } = servers
  const contestants = {
    host: host.call(asked),
    operator: operator.call(asked),
    bare: bare.call({ ...asked, isAllowed: true }),
  }
  const tallies = await compared(contestants, { callers, seconds })
  const cpu = { host: host.cpuMilliseconds(), operator: operator.cpuMilliseconds(), bare: bare.cpuMilliseconds() }
  return { tallies, cpu }
}

const rowOf = ({ review, callers, tallies: { host, operator, bare }, cpu }: Figures): Row => ({
  review,
  callers,
  'host /s': host.perSecond,
  'operator /s': operator.perSecond,
  'bare /s': bare.perSecond,
  'host p50 ms': host.milliseconds(0.5),
  'host p99 ms': host.milliseconds(0.99),
  'operator p99 ms': operator.milliseconds(0.99),
  'host CPU ms': cpu.host,
  'operator CPU ms': cpu.operator,
  'bare CPU ms': cpu.bare,
  'per core, host : operator': ratio(cpu.operator, cpu.host),
  failures: host.failures + operator.failures + bare.failures,
})

/** Of the reviews in which the host is least ahead. */
const goalOf = (all: readonly Figures[]): Goal => {
  const ratios = all.map(({ cpu }) => cpu.operator / cpu.host)
  const [least, middle] = [Math.min(...ratios), median(ratios)]
  return {
    asks: 'GA-55 reviews per second per core: at least half of the operator’s, if possible as many',
    found: `${figures(least)} × at least, ${figures(middle)} × in the median`,
    isMet: least >= 0.5,
  }
}

const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'))
try {
  await run(folder)
} finally {
  rmSync(folder, { recursive: true })
}
