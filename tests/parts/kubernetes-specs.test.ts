// Kubernetes' own specs of sig-api-machinery against the embedded cluster, group by group. Left out are specs that need images or a
// routed network, by name, and groups of features that are not in every API server.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { partPath, partRelease } from '../harness/control-plane/binaries.ts'

type Group = {
  readonly focus: string
  readonly seconds?: number
  readonly skip?: string
  /** Its specs belong to features that are there. */
  readonly hasFeatures?: true
}

const groups: readonly Group[] = [
  { focus: 'FieldValidation' },
  { focus: 'Servers with support for Table' },
  { focus: 'OrderedNamespaceDeletion' },
  { focus: 'Namespaces', seconds: 120 },
  { focus: 'Watchers', seconds: 120 },
  { focus: 'ServerSideApply' },
  { focus: 'CustomResourceDefinition resources' },
  // Rules have no cost here.
  { focus: 'CustomResourceValidationRules', skip: 'cost limit' },
  // Nobody checks the types of policies against schemas here.
  { focus: 'ValidatingAdmissionPolicy', skip: 'type check' },
  { focus: 'MutatingAdmissionPolicy' },
  { focus: 'Generated clientset' },
  { focus: 'OpenAPIV3' },
  // Five specs look for half a minute whether Pods stay; one waits for a schedule.
  { focus: 'Garbage collector', seconds: 360 },
  // Nothing here knows classes of volume attributes, or claims of devices.
  { focus: 'ResourceQuota', seconds: 300, hasFeatures: true, skip: 'VolumeAttributesClass|DynamicResourceAllocation' },
  { focus: 'Discovery' },
  { focus: 'AggregatedDiscovery' },
  { focus: 'Servers with support for API chunking' },
  { focus: 'CustomResourceDefinition Watch', seconds: 120 },
  { focus: 'CustomResourcePublishOpenAPI', seconds: 120 },
  { focus: 'CRDValidationRatcheting', hasFeatures: true },
  // Metadata clients compare what they list with what they get, and expect protobuf, whose items have no types.
  { focus: 'API Streaming', hasFeatures: true, skip: 'metadata client|metadatainformer' },
  { focus: 'health handlers' },
  { focus: 'Server request timeout' },
  { focus: 'server version' },
  // Answers are JSON.
  { focus: 'client-go should negotiate', skip: 'protobuf' },
]

/**
 * Everywhere: what takes a server away or minutes, and what belongs to a feature gate. Etcd failure is Disruptive; kube-apiserver identity,
 * CoordinatedLeaderElection, CBOR and StorageVersion are features that are not on in a usual cluster.
 */
const everywhere = 'Flaky|Slow|Disruptive'
const features = 'Feature:|FeatureGate:'

/**
 * Specs that need an image of their own or a routed network: AdmissionWebhook, CustomResourceConversionWebhook, CustomResourceFieldSelectors,
 * Aggregator, and the aggregated API server of OpenAPIV3 and Discovery. API priority and fairness is left out because requests are not
 * queued here, so no answer says which FlowSchema it belongs to.
 */
const needsImages = 'Aggregator|Aggregated APIServer'

const usualSeconds = 60
const run = promisify(execFile)

const cluster = await startEmbeddedCluster({ node: { stepMilliseconds: 0 } })
t.teardown(() => cluster.stop())
const kubeconfig = join(t.testdir(), 'kubeconfig')
writeFileSync(kubeconfig, cluster.kubeconfig)
t.comment(`Kubernetes ${partRelease('kubernetes-specs')}`)

for (const { focus, skip = '', seconds = usualSeconds, hasFeatures } of groups)
  t.test(`FN-138 Kubernetes' specs: ${focus}`, { timeout: (seconds + 20) * 1000 }, async t => {
    const skipped = [everywhere, hasFeatures ? '' : features, needsImages, skip].filter(Boolean).join('|')
    const asked = ['-focus', `\\[sig-api-machinery\\] ${focus}`, '-skip', skipped, '-seconds', String(seconds)]
    const env = { ...process.env, KUBECONFIG: kubeconfig }
    const output = await run(partPath('kubernetes-specs'), asked, { env, maxBuffer: 64 * 1024 * 1024 }).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    )
    t.ok(output.includes('•'), 'a spec ran')
    t.strictSame(output.match(/^.*\[(FAIL|FAILED|TIMEDOUT|PANICKED)\].*$/gm) ?? [], [])
  })
