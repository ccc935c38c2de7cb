// What the real Helm renders a chart to, read by the real kubectl: objects as JSON.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isMap } from '../../shared/core/json/json.ts'
import type { Files } from '../../shared/render/generator.ts'
import { briefly, oracles } from '../harness/oracles.ts'
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

/** What helm makes of each case; kubectl is asked once for all of them. */
export const helmRenderings = async (cases: readonly ChartCase[]): Promise<Rendered[]> => {
  const runs: Run[] = []
  for (let begin = 0; begin < cases.length; begin += atOnce)
    runs.push(...(await Promise.all(cases.slice(begin, begin + atOnce).map(manifestsOf))))
  const objects = await objectsInEach(runs.map(({ code, stdout }) => (code === 0 ? stdout : '')))
  return runs.map(({ code, stderr }, index) => (code === 0 ? { objects: objects[index] ?? [] } : { error: stderr }))
}

const atOnce = 2

const manifestsOf = async (one: ChartCase): Promise<Run> => run((await oracles()).helm, helmArguments(one))

/** What kubectl makes of YAML: lists are taken apart, scalars mean what they mean to the API server. */
export const objectsIn = async (yaml: string): Promise<readonly unknown[]> => (await objectsInEach([yaml]))[0] ?? []

/** The same for several texts. */
const objectsInEach = async (texts: readonly string[]): Promise<unknown[][]> => {
  const found: unknown[][] = []
  for (const object of await allObjectsIn(texts.map(text => `${mark}\n---\n${text}`).join('\n---\n'))) {
    if (isMark(object)) found.push([])
    else found.at(-1)?.push(object)
  }
  return found
}

/** An object before those of each text. */
const markName = 'here-begins-the-next'
const mark = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: markName } })

const isMark = (object: unknown): boolean =>
  isMap(object) && isMap(object.metadata) && object.metadata.name === markName

const allObjectsIn = async (yaml: string): Promise<unknown[]> => {
  const { kubectl } = await oracles()
  const folder = await mkdtemp(join(tmpdir(), 'espalier-manifests-'))
  const file = join(folder, 'all.yaml')
  await writeFile(file, yaml)
  const args = ['patch', '--local', '--type=merge', '--patch={}', `--filename=${file}`, '--output=json']
  const { code, stdout, stderr } = await run(kubectl, args)
  await rm(folder, { recursive: true })
  if (code === 0) return JSON.parse(`[${stdout.replaceAll(/^\}\n\{$/gm, '},{')}]`)
  throw new Error(`kubectl does not understand what helm wrote: ${stderr}`)
}

/** What `helm template` says of a chart that a test makes up. */
export const helmRun = async (files: Files, args: readonly string[] = []): Promise<Run> => {
  const root = await mkdtemp(join(tmpdir(), 'espalier-chart-'))
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), bytes)
  }
  const { helm } = await oracles()
  const said = await run(helm, ['template', release.name, root, '--namespace', release.namespace, ...args])
  await rm(root, { recursive: true })
  return said
}

type Run = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

const run = (program: string, args: readonly string[]): Promise<Run> =>
  new Promise(resolve => {
    const options = { env: { ...process.env, ...briefly }, maxBuffer: 2 ** 26, timeout: 60_000 }
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    )
  })
