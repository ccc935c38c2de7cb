// A second cluster with a real node, on a machine of its own beside the first: the Kyma runtime of a story.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { kubeconfig } from '../clients/kubeconfig.ts'
import { describedCluster } from '../control-plane/control-plane-folder.ts'
import { startLifelined } from '../processes/bound-processes.ts'
import { onMachine, secondMachine } from './apart.ts'

export type SecondNode = {
  /** It leads there from both machines and their Pods, with all rights. */
  readonly kubeconfig: string
  readonly kubeconfigPath: string
  stop(): Promise<void>
}

/** Starts node and control plane in this folder, with the images of these archives, and waits until the node is Ready. */
export const startSecondNode = async (dir: string, archives: readonly string[]): Promise<SecondNode> => {
  const program = join(import.meta.dirname, 'run-second-node.ts')
  const { child, ended, end } = startLifelined({
    program: 'unshare',
    args: onMachine(secondMachine, process.execPath, [program, dir, ...archives]),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('the second machine has no output')
  const early = ended.then(code =>
    Promise.reject(new Error(`the second machine ended with ${code}; logs are in ${dir}`)),
  )
  await Promise.race([once(createInterface(child.stdout), 'line'), early])
  const cluster = describedCluster(dir)
  if (cluster === undefined) throw new Error(`${dir} has no cluster`)
  const text = kubeconfig({ ...cluster, url: `https://${secondMachine.address}:${cluster.port}` }, cluster.admin)
  const kubeconfigPath = join(dir, 'from-elsewhere.kubeconfig')
  writeFileSync(kubeconfigPath, text)
  return { kubeconfig: text, kubeconfigPath, stop: () => end('SIGKILL') }
}
