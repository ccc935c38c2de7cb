// Runs a Pod's container as a process on this machine, without a container: the program with the arguments of the template, and what the Pod mounts
// below a fresh folder. Only what a machine without containers needs is changed: paths are below that folder, ports are free ones, and hosts that
// only a cluster knows are local addresses.
//
//   const component = await processOfPod(deployment, {
//     dir,
//     find: (kind, name) => secrets.get(name),
//     hosts: { 'virtual-garden-etcd-main-client:2379': '127.0.0.1:12379' },
//     flags: { 'secure-port': '16443', 'bind-address': '127.0.0.1', 'advertise-address': '192.0.2.1' },
//   })
import { basename, join } from 'node:path'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Program } from '../control-plane/binaries.ts'
import type { Component } from '../control-plane/components.ts'
import { type FindMounted, type Volume, type VolumeMount, writeMounts } from './mounted-volumes.ts'

export type PodPlace = {
  /** A fresh folder for this process. */
  readonly dir: string
  readonly find: FindMounted
  /** Hosts of the cluster, with their ports if texts have ports, and the local addresses that replace them. */
  readonly hosts: Readonly<Record<string, string>>
  /** Flags with ports and addresses that replace those of the template, or are added. */
  readonly flags: Readonly<Record<string, string>>
  /** Ports in mounted configurations, such as `port: 8081`, and the free ports that replace them. */
  readonly ports?: Readonly<Record<string, number>>
  /** Distinguishes it from another process of the same program. */
  readonly name?: string
}

type Container = {
  readonly name: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly volumeMounts?: readonly VolumeMount[]
}
type PodSpec = { readonly containers: readonly [Container, ...Container[]]; readonly volumes?: readonly Volume[] }

/** The process of the first container of a Deployment or StatefulSet. Its files are written when this resolves. */
export async function processOfPod(workload: KubeObject, place: PodPlace): Promise<Component> {
  const { containers, volumes = [] } = (workload.spec as { template: { spec: PodSpec } }).template.spec
  const { name: container, command = [], args = [], volumeMounts: mounts = [] } = containers[0]
  const mountPaths = mounts.map(({ mountPath }) => mountPath)
  const localText = localized(mountPaths, place)
  await writeMounts({ volumes, mounts, find: place.find, place: path => join(place.dir, path), localText })
  const words = [...command, ...args]
  const [program = container, ...rest] = words[0]?.startsWith('-') === false ? words : [container, ...words]
  return {
    program: basename(program) as Program,
    ...(place.name && { name: place.name }),
    args: withFlags(rest.map(localText), place.flags),
  }
}

/** Replaces the path of a mount where a path begins, a host where a host ends, and a port on a line of YAML. */
const localized = (mountPaths: readonly string[], { dir, hosts, ports = {} }: PodPlace) => {
  const paths = anyOf(mountPaths)
  const names = anyOf(Object.keys(hosts))
  return (text: string): string =>
    text
      .replace(new RegExp(`(?<![\\w./-])(?:${paths})(?=$|[/\\s"',:])`, 'g'), path => join(dir, path))
      .replace(new RegExp(`(?<=://)(?:${names})(?=$|[/\\s"',])`, 'g'), host => hosts[host] ?? host)
      .replace(/(?<=^\s*port: )\d+$/gm, port => String(ports[port] ?? port))
}

/** The longest first, and one that matches nothing, for an empty list. */
const anyOf = (words: readonly string[]): string =>
  [
    ...words
      .map(word => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .sort((one, other) => other.length - one.length),
    '(?!)',
  ].join('|')

const withFlags = (args: readonly string[], flags: PodPlace['flags']): string[] => [
  ...args.filter(arg => !Object.keys(flags).some(flag => arg.startsWith(`--${flag}=`))),
  ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`),
]
