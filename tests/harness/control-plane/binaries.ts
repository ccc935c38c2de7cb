// The programs of a real control plane, a real registry, Prometheus' parser, and programs of others that Espalier works beside. They are built once
// per machine from Go modules, whose versions and checksums are committed under go/. Cache folders are named after versions and checksums.
// components.ts has the arguments of the control plane's programs.
import { join } from 'node:path'
import {
  builtProgram,
  builtSet,
  type GoModule,
  moduleVersion,
  type ProgramSet,
  type Progress,
  releaseOf,
} from './go-programs.ts'

export type Program = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok'

type NodeProgram = 'kubelet' | 'kube-proxy' | 'coredns'

const goModules: readonly GoModule[] = [
  { folder: 'etcd', output: 'etcd', stands: 'go.etcd.io/etcd/server/v3', stamp: () => ({}) },
  { folder: 'kwok', output: 'kwok', stands: 'sigs.k8s.io/kwok', stamp: () => ({}) },
  { folder: 'kubernetes', output: '', stands: 'k8s.io/kubernetes', stamp: kubernetesVersion },
]

const testCluster = 'npm run test:cluster'

const controlPlane: ProgramSet = { name: 'control-plane', minutes: 6, modules: goModules, by: testCluster }

const registry: ProgramSet = {
  name: 'registry',
  minutes: 1,
  by: testCluster,
  modules: [
    {
      folder: 'registry',
      output: 'registry',
      stands: 'github.com/distribution/distribution/v3',
      stamp: () => ({}),
    },
  ],
}

const promql: ProgramSet = {
  name: 'promql',
  minutes: 1,
  by: testCluster,
  modules: [
    {
      folder: 'promql',
      output: 'promql',
      stands: 'github.com/prometheus/prometheus',
      stamp: () => ({}),
      isProgram: true,
    },
  ],
}

const actionlint: ProgramSet = {
  name: 'actionlint',
  minutes: 1,
  by: testCluster,
  modules: [{ folder: 'actionlint', output: 'actionlint', stands: 'github.com/rhysd/actionlint', stamp: () => ({}) }],
}

const node: ProgramSet = {
  name: 'node',
  minutes: 5,
  by: 'npm run test:node',
  modules: [
    { folder: 'kubelet', output: '', stands: 'k8s.io/kubernetes', stamp: kubernetesVersion },
    {
      folder: 'coredns',
      output: 'coredns',
      stands: 'github.com/coredns/coredns',
      stamp: () => ({}),
      isProgram: true,
    },
  ],
}

const gardenerWebhooks: ProgramSet = {
  name: 'gardener-webhooks',
  minutes: 5,
  by: 'npm run bench:garden-admission',
  modules: [
    {
      folder: 'gardener',
      output: 'gardener-webhooks',
      stands: 'github.com/gardener/gardener',
      stamp: () => ({}),
      isProgram: true,
    },
  ],
}

type PartRow = Pick<GoModule, 'stands' | 'keeps' | 'isProgram'> & { readonly minutes: number }

/** Programs of others that `npm run test:parts` puts beside Espalier, by their folders below go/; one more is one more row. */
const parts = {
  'cert-manager': {
    minutes: 3,
    stands: 'github.com/cert-manager/cert-manager',
    keeps: ['deploy/crds'],
    isProgram: true,
  },
  'gardener-resource-manager': { minutes: 6, stands: 'github.com/gardener/gardener' },
  istiod: { minutes: 6, stands: 'istio.io/istio' },
  'kubernetes-specs': { minutes: 5, stands: 'k8s.io/kubernetes', isProgram: true },
} as const satisfies Record<string, PartRow>

export type Part = keyof typeof parts

const setOfPart = (name: Part): ProgramSet => {
  const { minutes, ...row }: PartRow = parts[name]
  const module: GoModule = { folder: name, output: name, stamp: () => ({}), ...row }
  return { name, minutes, modules: [module], by: 'npm run test:parts' }
}

/** Builds all programs of tests that are missing. This takes minutes on a fresh machine; `progress` reports it. */
export async function buildPrograms(progress: Progress): Promise<void> {
  for (const set of [controlPlane, registry, promql, actionlint]) await builtSet(set, progress)
}

/** The same for programs of others. */
export async function buildParts(progress: Progress): Promise<void> {
  for (const name of Object.keys(parts) as Part[]) await builtSet(setOfPart(name), progress)
}

/** The release of such a program that is tested. */
export function partRelease(name: Part): string {
  return releaseOf(setOfPart(name))
}

/** The path of such a program, or of a folder beside it. It must have been built before. */
export function partPath(name: Part, path: string = name): string {
  return builtProgram(setOfPart(name), path)
}

/** Builds the webhooks of the Gardener operator as a program, which only a benchmark needs. */
export async function gardenerWebhooksProgram(progress: Progress): Promise<string> {
  return join(await builtSet(gardenerWebhooks, progress), 'gardener-webhooks')
}

/** The path of a program of the control plane. It must have been built before, because a test must not take minutes by surprise. */
export function program(name: Program): string {
  return builtProgram(controlPlane, name)
}

/** The path of the real registry, likewise. */
export function registryProgram(): string {
  return builtProgram(registry, 'registry')
}

/** The path of the parser of PromQL, likewise. */
export function promqlProgram(): string {
  return builtProgram(promql, 'promql')
}

/** The path of the checker of GitHub workflows, likewise. */
export function actionlintProgram(): string {
  return builtProgram(actionlint, 'actionlint')
}

/** Builds what a real node needs besides the control plane and Debian's packages, likewise. */
export async function buildNodePrograms(progress: Progress): Promise<void> {
  for (const set of [controlPlane, node]) await builtSet(set, progress)
}

/** The path of one of them that has been built before. */
export function nodeProgram(name: NodeProgram): string {
  return builtProgram(node, name)
}

/** The version of Kubernetes that the control plane has, such as `v1.36.3`. */
export function kubernetesRelease(): string {
  return moduleVersion('kubernetes', 'k8s.io/kubernetes')
}

/** The release of the Gardener operator that has these webhooks. */
export function gardenerRelease(): string {
  return releaseOf(gardenerWebhooks)
}

/** The version that `GET /version` and the User-Agent show. Upstream's own build sets the same variables. */
function kubernetesVersion(version: string): Readonly<Record<string, string>> {
  const [major = '', minor = ''] = version.slice(1).split('.')
  const stamps: Record<string, string> = {}
  for (const owner of ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']) {
    stamps[`${owner}.gitVersion`] = version
    stamps[`${owner}.gitMajor`] = major
    stamps[`${owner}.gitMinor`] = minor
  }
  return stamps
}
