// Espalier as helm installs it on a real node: helm and kubectl for one cluster, and the Pods of hosts and relays.
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { oracles } from '../oracles.ts'
import { eventually } from '../until.ts'

const project = join(import.meta.dirname, '..', '..', '..')
export const namespace = 'espalier-system'
const programs = await oracles()

type Container = {
  name: string
  image: string
  resources: Partial<Record<'requests' | 'limits', Record<string, string>>>
}
export type Pod = {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string }
  spec: { containers: Container[]; volumes: { projected?: { sources: { serviceAccountToken?: object }[] } }[] }
  status: {
    conditions?: { type: string; status: string }[]
    podIP?: string
    containerStatuses?: { containerID: string; restartCount: number }[]
  }
}

/** Runs a command that must end with exit code 0, and returns its output. */
export type Command = (...args: readonly string[]) => Promise<string>

export type CommandLine = {
  readonly kubectl: Command
  readonly helm: Command
  applied(...objects: readonly object[]): Promise<void>
  pods(namespace: string, ...more: readonly string[]): Promise<Pod[]>
}

/** Commands run in the project's folder, with this kubeconfig. */
export const commandLine = (kubeconfigPath: string): CommandLine => {
  const folder = dirname(kubeconfigPath)
  const env = { KUBECONFIG: kubeconfigPath, HOME: folder, PATH: process.env.PATH }
  const command =
    (program: keyof typeof programs): Command =>
    (...args) =>
      new Promise((resolve, reject) => {
        execFile(programs[program], args, { cwd: project, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
          error ? reject(new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`)) : resolve(stdout),
        )
      })
  const kubectl = command('kubectl')
  return {
    kubectl,
    helm: command('helm'),
    applied: async (...items) => {
      const path = join(mkdtempSync(join(folder, 'applied-')), 'list.json')
      writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
      await kubectl('apply', '--server-side', '-f', path)
    },
    pods: async (namespace, ...more) =>
      JSON.parse(await kubectl('get', 'pods', '-n', namespace, '-o', 'json', ...more)).items,
  }
}

export const component = (pod: Pod): string => pod.metadata.labels['app.kubernetes.io/component'] ?? ''
export const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name)
export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')

export type InstalledPods = {
  /** The Pods of `host` or of `relay`. */
  ours(which: string): Promise<Pod[]>
  /** Whether that many hosts and relays are Ready, and no other Pod exists. */
  allReady(each?: number): Promise<boolean>
  untilAllReady(each?: number): Promise<void>
  /** Waits until none of these is left, and two hosts and two relays are Ready. */
  untilReplaced(former: readonly string[]): Promise<void>
}

export const installedPods = ({ pods }: CommandLine): InstalledPods => {
  const areReady = (there: readonly Pod[], each = 2): boolean => {
    const ready = there.filter(isReady).map(component)
    const count = (which: string): number => ready.filter(one => one === which).length
    return there.length === 2 * each && count('host') === each && count('relay') === each
  }
  const allReady = async (each?: number): Promise<boolean> => areReady(await pods(namespace), each)
  return {
    ours: which => pods(namespace, '-l', `app.kubernetes.io/component=${which}`),
    allReady,
    untilAllReady: each => eventually('hosts and relays are Ready', () => allReady(each), 120),
    untilReplaced: former =>
      eventually(
        'all Pods are new and Ready',
        async () => {
          const now = await pods(namespace)
          return areReady(now) && !names(now).some(name => former.includes(name))
        },
        240,
      ),
  }
}

/** A Component in namespace `shop`, with the text that its ConfigMap should have. */
export const textComponent = (name: string, text: string): object => ({
  apiVersion: 'core.espalier.dev/v1alpha1',
  kind: 'Component',
  metadata: { name, namespace: 'shop' },
  spec: { source: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } }] } },
})

/** The text in the ConfigMap; empty without a ConfigMap. */
export const textIn = ({ kubectl }: CommandLine, name: string): Promise<string> =>
  kubectl('get', 'configmap', name, '-n', 'shop', '-o', 'jsonpath={.data.text}').catch(() => '')
