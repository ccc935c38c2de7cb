// The data about Kubernetes versions beside the programs themselves, for the version that is built here: it knows what they
// know, and nothing else.
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import t, { type Test } from 'tap'
import admissionPlugins from '../../shared/api/kubernetes/admission-plugins.json' with { type: 'json' }
import apis from '../../shared/api/kubernetes/apis.json' with { type: 'json' }
import featureGates from '../../shared/api/kubernetes/feature-gates.json' with { type: 'json' }
import {
  admissionPluginKnown,
  apiKnown,
  featureGateKnown,
  featureGateLock,
  type Known,
  kubernetesMinors,
} from '../../shared/api/kubernetes/versions.ts'
import { causesOf, smallest } from '../functions/garden-admission/reviews.ts'
import { type ApiClient, apiClient } from '../harness/clients/api.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { kubernetesRelease, type Program, program } from '../harness/control-plane/binaries.ts'
import { matches } from '../harness/matches.ts'
import { scratchFolder } from '../harness/processes/scratch.ts'
import { usualSeconds } from '../harness/until.ts'
import { gardenWith } from '../make/garden/garden.ts'

const [, major = '', minorNumber = ''] = /^v?(\d+)\.(\d+)\./.exec(kubernetesRelease()) ?? []
const minor = `${major}.${minorNumber}`

type Ended = { readonly isGood: boolean; readonly text: string }

/** What a program prints until it ends by itself. */
const ended = (name: Program, args: readonly string[]): Promise<Ended> =>
  new Promise(resolve => {
    execFile(program(name), args, { maxBuffer: 2 ** 24, timeout: usualSeconds * 1000 }, (error, stdout, stderr) =>
      resolve({ isGood: !error, text: stdout + stderr }),
    )
  })

const helpOf = async (name: Program): Promise<string> => (await ended(name, ['--help'])).text

/** The names of the data that this version has. */
const namesIn = (data: object, known: (name: string, minor: string) => Known): string[] =>
  Object.keys(data)
    .filter(name => known(name, minor) === 'here')
    .sort()

const gates = namesIn(featureGates, featureGateKnown)

/** What `--help` tells: gates whose stage is past are left out there. */
const offeredGates = async (name: Program): Promise<string[]> =>
  [...(await helpOf(name)).matchAll(/(?:kube:)?([A-Z]\w+)=true\|false/g)].map(([, gate = '']) => gate)

t.test('GA-34 GA-182 every feature gate that the programs offer is known', async t => {
  t.ok(kubernetesMinors.includes(minor), minor)
  for (const name of ['kube-apiserver', 'kube-controller-manager'] as const) {
    const offered = await offeredGates(name)
    t.ok(offered.length > 100, `${name} offers ${offered.length}`)
    t.strictSame(
      offered.filter(gate => !gates.includes(gate)),
      [],
      name,
    )
  }
})

t.test('GA-182 every feature gate that is known is taken by both programs', async t => {
  const settings = gates
    .filter(gate => gate !== 'AllAlpha' && gate !== 'AllBeta')
    .map(gate => `${gate}=${featureGateLock(gate, minor) ?? true}`)
  for (const name of ['kube-apiserver', 'kube-controller-manager'] as const) {
    const { isGood, text } = await ended(name, [`--feature-gates=${settings}`, '--version'])
    t.ok(isGood, `${name}: ${text.slice(0, 500)}`)
    const { text: refusal } = await ended(name, ['--feature-gates=CPUCFSQuotaPeriod=true', '--version'])
    matches(t, refusal, /unrecognized feature gate: CPUCFSQuotaPeriod/, 'what it does not know it refuses')
  }
})

t.test('GA-29 GA-182 the admission plugins that kube-apiserver offers are those that are known', async t => {
  const [, list = ''] = /list of admission plugins: ([\w, ]+)\./.exec(await helpOf('kube-apiserver')) ?? []
  t.strictSame(list.split(', ').sort(), namesIn(admissionPlugins, admissionPluginKnown))
})

type Listed = { readonly groups: readonly { versions: readonly { groupVersion: string }[] }[] }
type Resources = { readonly resources: readonly { name: string }[] }

const resourcesIn = async (api: ApiClient, path: string): Promise<string[]> => {
  const { resources } = (await api.call('GET', path)).body as unknown as Resources
  return resources.map(({ name }) => name).filter(name => !name.includes('/'))
}

/** What the API server serves, in the words of `--runtime-config`. */
const servedBy = async (api: ApiClient): Promise<string[]> => {
  const { groups } = (await api.call('GET', '/apis')).body as unknown as Listed
  const versions = groups.flatMap(group => group.versions.map(({ groupVersion }) => groupVersion))
  const all = await Promise.all([
    resourcesIn(api, '/api/v1').then(names => ['v1', ...names.map(name => `v1/${name}`)]),
    ...versions.map(async version => [
      version,
      ...(await resourcesIn(api, `/apis/${version}`)).map(name => `${version}/${name}`),
    ]),
  ])
  return all.flat().sort()
}

/** Everything it can be told to serve and to be. */
const withEverything = (t: Test) =>
  ownControlPlane(t, {
    withControllers: false,
    apiServerFlags: ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'],
  })

t.test(
  'GA-176 GA-182 an API server with everything on: its APIs and feature gates are those that are known',
  async t => {
    const cluster = await withEverything(t)
    const api = apiClient(cluster, cluster.admin)
    t.teardown(() => api.close())
    t.strictSame(await servedBy(api), namesIn(apis, apiKnown))
    const { text = '' } = await api.call('GET', '/metrics')
    const named = [...text.matchAll(/^kubernetes_feature_enabled\{name="(\w+)"/gm)].map(([, name = '']) => name)
    t.strictSame(named.sort(), gates)
  },
)

/** Flags without which kube-apiserver does not come as far as its APIs; there is no etcd, where it would end at last. */
const beginning = (dir: string, flag: string): string[] => [
  `--cert-dir=${dir}`,
  '--etcd-servers=http://127.0.0.1:1',
  '--bind-address=127.0.0.1',
  '--advertise-address=127.0.0.1',
  '--secure-port=1',
  '--service-cluster-ip-range=10.96.0.0/16',
  flag,
]

type Refused = { readonly field: string; readonly value: unknown; readonly flag: string; readonly says: RegExp }

const kubeAPIServer = 'spec.virtualCluster.kubernetes.kubeAPIServer'
const key = (name: string, says: RegExp): Refused => ({
  field: 'runtimeConfig',
  value: { [name]: true },
  flag: `--runtime-config=${name}=true`,
  says,
})
const cache = (resource: string, says: RegExp): Refused => ({
  field: 'watchCacheSizes.resources',
  value: [{ resource, size: 5 }],
  flag: `--watch-cache-sizes=${resource}#5`,
  says,
})

const refused: readonly Refused[] = [
  key('foo/v1', /unknown api groups foo\/v1/),
  key('api/beta2', /unknown api groups api\/beta2/),
  key('a/b/c/d', /runtime-config invalid key/),
  key('foo', /runtime-config invalid key foo/),
  cache('a,b', /invalid value of watch cache size: a/),
  cache('a#b', /invalid value of watch cache size: a#b#5/),
  cache('a"b', /parse error on line 1/),
]

t.test('GA-176 GA-177 what kube-apiserver does not begin with is refused before', async t => {
  const dir = scratchFolder()
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  for (const { field, value, flag, says } of refused) {
    const { isGood, text } = await ended('kube-apiserver', beginning(dir, flag))
    t.notOk(isGood, flag)
    matches(t, text, says, flag)
    const garden = gardenWith(
      { [`${kubeAPIServer}.${field}`]: value, 'spec.virtualCluster.kubernetes.version': minor },
      smallest(),
    )
    t.equal((await causesOf(garden)).length, 1, flag)
  }
})
