// The command line as people use it: commands run with the kubeconfig of a cluster that has our definitions.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { customResources } from '../../../shared/deploy/manifests/manifests.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { established } from '../component/orchards.ts'
import { testFolder } from '../test-folder.ts'
import { type AnyCluster, anyCluster } from './any-cluster.ts'
import { clientTo } from './cluster-client.ts'

export type CommandLine = {
  readonly cluster: AnyCluster
  readonly client: Client
  readonly namespace: string
  /** A folder for this test. */
  readonly folder: string
  /** The kubeconfig file in the folder. */
  readonly kubeconfig: string
  /** Runs a command in the namespace. */
  espalier(...args: string[]): ReturnType<typeof runCommand>
}

/** `definitions`: definitions to establish first; all of ours when absent. */
export const commandLine = async (t: Test, definitions?: readonly object[]): Promise<CommandLine> => {
  const cluster = await anyCluster(t)
  const client = clientTo(t, cluster)
  for (const one of definitions ?? customResources().flatMap(({ objects }) => objects))
    await established(client, one as KubeObject)
  const folder = testFolder(t)
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig)
  const { namespace } = cluster
  const espalier = (...args: string[]) => runCommand(commands, [...args, '-n', namespace, '--kubeconfig', kubeconfig])
  return { cluster, client, namespace, folder, kubeconfig, espalier }
}
