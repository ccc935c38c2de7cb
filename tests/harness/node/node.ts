// A real Kubernetes node beside a real control plane: containerd and runc of Debian, kubelet, kube-proxy and CoreDNS. It starts in the namespaces of
// apart.ts, on the machine of this process. CoreDNS is no Pod, so only what a test installs runs as a Pod.
import { execFile } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { type ApiClient, apiClient, type Fields, type KubeObject } from '../clients/api.ts'
import { kubeconfig } from '../clients/kubeconfig.ts'
import { type Account, serviceAccountToken } from '../clusters/service-account.ts'
import { nodeProgram, program } from '../control-plane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { siteFile } from '../control-plane/control-plane-folder.ts'
import { startLifelined } from '../processes/bound-processes.ts'
import { eventually } from '../until.ts'
import { cgroupOf, firstMachine, type Machine } from './apart.ts'

/** The image that holds the namespaces of a Pod. */
export const pauseImage = 'example.com/pause:1'

export type RealNode = ControlPlane & {
  readonly machine: Machine
  readonly api: ApiClient
  /** Runs `ctr` on the images and containers of the node. */
  ctr(...args: readonly string[]): Promise<string>
}

type Place = { readonly dir: string; readonly machine: Machine }

const run = promisify(execFile)

/** Starts node and control plane in this folder, with the images of these archives, and waits until the node is Ready. */
export async function startNode(dir: string, archives: readonly string[], machine = firstMachine): Promise<RealNode> {
  const place: Place = { dir, machine }
  const { name: nodeName, address: nodeAddress } = machine
  const controlPlane = await startControlPlane({
    dir,
    address: nodeAddress,
    onlyControllers: ['*', '-node-ipam-controller'],
    apiServerFlags: [
      ...['--bind-address=0.0.0.0', `--advertise-address=${nodeAddress}`, '--endpoint-reconciler-type=lease'],
      ...['--authorization-mode=Node', '--enable-admission-plugins=NodeRestriction'],
    ],
  })
  const api = apiClient(controlPlane, controlPlane.admin)
  const file = (name: string): string => join(dir, name)
  const start = (name: string, program: string, args: readonly string[]): void => {
    const log = openSync(join(dir, 'logs', `${name}.log`), 'a')
    startLifelined({ program, args, folder: dir, stdio: ['ignore', log, log] })
    closeSync(log)
  }
  const socket = file('containerd.sock')
  const ctr = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('ctr', ['--address', socket, '--namespace', 'k8s.io', ...args], { maxBuffer: 2 ** 26 })
    return stdout
  }

  writeFileSync(file('containerd.toml'), containerdSettings(dir, socket))
  mkdirSync(file('cni'))
  writeFileSync(file('cni/10-pods.conflist'), JSON.stringify(podNetworkSettings(place)))
  start('containerd', 'containerd', ['--config', file('containerd.toml')])
  await eventually('containerd answers', () =>
    ctr('version').then(
      () => true,
      () => false,
    ),
  )
  for (const archive of archives) await ctr('images', 'import', archive)

  const scheduler = siteFile({ dir }, 'scheduler')
  const schedulerFlags = [`--kubeconfig=${scheduler}`, '--leader-elect=false', '--secure-port=0']
  start('kube-scheduler', program('kube-scheduler'), schedulerFlags)
  writeFileSync(file('kubelet.yaml'), stringify(kubeletSettings(place, socket)))
  start('kubelet', nodeProgram('kubelet'), [
    `--config=${file('kubelet.yaml')}`,
    `--kubeconfig=${file('kubelet.kubeconfig')}`,
    // With this kubeconfig the kubelet asks for a certificate of its own, as in a cluster that it joins.
    `--bootstrap-kubeconfig=${controlPlane.kubeconfigPath}`,
    ...[`--hostname-override=${nodeName}`, `--node-ip=${nodeAddress}`],
    ...[`--root-dir=${file('kubelet')}`, `--cert-dir=${file('kubelet-certificates')}`],
  ])
  await writeServiceKubeconfig(controlPlane, api, {
    account: 'kube-proxy',
    role: 'system:node-proxier',
    path: file('kube-proxy.kubeconfig'),
  })
  writeFileSync(file('kube-proxy.yaml'), stringify(proxySettings(place)))
  start('kube-proxy', nodeProgram('kube-proxy'), [`--config=${file('kube-proxy.yaml')}`])
  await api.call('POST', clusterRoles, { body: { metadata: { name: 'coredns' }, rules: dnsRules } })
  await writeServiceKubeconfig(controlPlane, api, {
    account: 'coredns',
    role: 'coredns',
    path: file('coredns.kubeconfig'),
  })
  writeFileSync(file('Corefile'), corefile(dir))
  start('coredns', nodeProgram('coredns'), ['-conf', file('Corefile')])
  await api.waitFor({ in: '/api/v1/nodes', name: nodeName, until: isReady })
  return { ...controlPlane, machine, api, ctr }
}

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const clusterRoles = `${rbac}/clusterroles`
const dnsRules = [
  { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
]

type ServiceKubeconfig = { readonly account: string; readonly role: string; readonly path: string }

/** A service account in kube-system with this role, and a kubeconfig with its token. */
const writeServiceKubeconfig = async (
  cluster: ControlPlane,
  api: ApiClient,
  { account, role, path }: ServiceKubeconfig,
): Promise<void> => {
  const of: Account = { namespace: 'kube-system', name: account }
  await api.call('POST', '/api/v1/namespaces/kube-system/serviceaccounts', { body: { metadata: { name: account } } })
  const body = {
    metadata: { name: `node-${account}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...of }],
  }
  await api.call('POST', `${rbac}/clusterrolebindings`, { body })
  const token = await serviceAccountToken(cluster, of, { seconds: 86_400 })
  writeFileSync(path, kubeconfig(cluster, { token }))
}

/** `restrict_oom_score_adj`: some machines do not allow to lower it. */
const containerdSettings = (dir: string, socket: string): string => `version = 2
root = "${join(dir, 'containerd')}"
state = "/run/containerd/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${join(dir, 'cni')}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`

/** Each Pod is connected with the node only, so that all traffic between Pods passes the rules of kube-proxy. */
const podNetworkSettings = ({ dir, machine }: Place): object => ({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipam: {
        type: 'host-local',
        dataDir: join(dir, 'addresses'),
        ranges: [[{ subnet: machine.podNetwork }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
})

const kubeletSettings = ({ dir, machine }: Place, socket: string): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: { anonymous: { enabled: false }, x509: { clientCAFile: siteFile({ dir }, 'authority') } },
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${cgroupOf(machine)}`,
  failCgroupV1: false,
  failSwapOn: false,
  address: machine.address,
  clusterDNS: [machine.address],
  clusterDomain: 'cluster.local',
  containerRuntimeEndpoint: `unix://${socket}`,
  resolvConf: '',
  // The disk belongs to the machine and may be nearly full.
  evictionHard: {
    'memory.available': '100Mi',
    'nodefs.available': '1%',
    'imagefs.available': '1%',
    'nodefs.inodesFree': '1%',
  },
  imageGCHighThresholdPercent: 100,
  readOnlyPort: 0,
})

const proxySettings = ({ dir, machine }: Place): object => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'nftables',
  clientConnection: { kubeconfig: join(dir, 'kube-proxy.kubeconfig') },
  hostnameOverride: machine.name,
  clusterCIDR: machine.podNetwork,
  // These settings belong to the machine.
  conntrack: { maxPerCore: 0 },
})

const corefile = (dir: string): string => `.:53 {
  errors
  cache 5
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${join(dir, 'coredns.kubeconfig')}
    pods insecure
  }
}
`

const isReady = (node: KubeObject | undefined): boolean => {
  const conditions = node?.status?.conditions
  return Array.isArray(conditions) && conditions.some((it: Fields) => it.type === 'Ready' && it.status === 'True')
}
