// What the real Helm renders a chart to, read by the real kubectl: objects as JSON.
import { execFile } from 'node:child_process'
import { oracles } from '../harness/oracles.ts'
import type { ChartCase } from './chart-cases.ts'

/** The objects of `helm template --include-crds`, or what it says when it fails. */
export type Rendered = { readonly objects: readonly unknown[] } | { readonly error: string }

export const release = { name: 'demo', namespace: 'shop' } as const

/** What makes helm write a case's objects. */
export const helmArguments = ({ chart, values, cluster }: ChartCase): string[] => [
  ...['template', release.name, chart, '--namespace', release.namespace, '--values', values, '--include-crds'],
  ...['--kube-version', cluster.version],
  ...cluster.apiVersions.flatMap(version => ['--api-versions', version]),
]

export const helmRendering = async (one: ChartCase): Promise<Rendered> => {
  const { helm } = await oracles()
  const manifests = await run(helm, helmArguments(one))
  if (manifests.code !== 0) return { error: manifests.stderr }
  return { objects: await objectsIn(manifests.stdout) }
}

/** What kubectl makes of YAML: lists are taken apart, scalars mean what they mean to the API server. */
export const objectsIn = async (yaml: string): Promise<unknown[]> => {
  const { kubectl } = await oracles()
  const args = ['patch', '--local', '--type=merge', '--patch={}', '--filename=-', '--output=json']
  const { code, stdout, stderr } = await run(kubectl, args, yaml)
  if (code === 0) return JSON.parse(`[${stdout.replaceAll(/^\}\n\{$/gm, '},{')}]`)
  if (stderr.includes('no objects passed')) return []
  throw new Error(`kubectl does not understand what helm wrote: ${stderr}`)
}

type Run = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

const run = (program: string, args: readonly string[], input = ''): Promise<Run> =>
  new Promise(resolve => {
    const child = execFile(program, args, { maxBuffer: 2 ** 26, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    )
    child.stdin?.end(input)
  })
