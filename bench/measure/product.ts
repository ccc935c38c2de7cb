// Starts the product's own programs as a Pod does: built, their settings in flags, a service account mounted, the log to a
// file.
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { imageEntries, writeBundle } from '../../shared/deploy/bundle.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { builtFile, nodeFlags, type Program } from '../../shared/deploy/workloads/pod.ts'
import { type LifelinedProcess, startLifelined } from '../../tests/harness/processes/bound-processes.ts'

export type ProductStart = {
  readonly program: Program
  /** Instead of what was built. */
  readonly from?: 'sources'
  /** Its Pod's limit, by which it is started; that of the smallest host when absent. */
  readonly memoryLimitMiB?: number
  /** For Node, beside those that the Pod has. */
  readonly nodeFlags?: readonly string[]
  /** Besides where the API server and the service account are. */
  readonly flags: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly apiServer: string
  /** Where the service account is mounted. */
  readonly mounted: string
  /** The folder for the log. */
  readonly dir: string
}

const root = join(import.meta.dirname, '..', '..')

/** As the image has it; before the first start. */
export const buildProduct = (): Promise<void> =>
  writeBundle({
    root,
    into: join(root, 'dist'),
    landscape: readLandscape(join(root, 'serverless.yml')),
    entries: imageEntries,
  })

export const startProduct = ({
  program,
  from,
  memoryLimitMiB = 256,
  nodeFlags: more = [],
  flags,
  environment,
  apiServer,
  mounted,
  dir,
}: ProductStart): LifelinedProcess => {
  const log = openSync(join(dir, `${program}.log`), 'a')
  const file = from === 'sources' ? join('shared', 'main', `${program}.ts`) : builtFile(program)
  const access = [`--api-server=${apiServer}`, `--service-account=${mounted}`]
  const started = startLifelined({
    program: process.execPath,
    args: [...nodeFlags(memoryLimitMiB), ...more, join(root, file), ...access, ...flags],
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', log, 'inherit'],
  })
  closeSync(log)
  return started
}

const pollMilliseconds = 2

/** Resolves with the text of the first 200; rejects when the process ends before. */
export const firstAnswer = async (url: string, { ended }: Pick<LifelinedProcess, 'ended'>): Promise<string> => {
  let result: number | string | undefined
  void ended.then(code => {
    result = code
  })
  while (result === undefined) {
    const text = await answerOf(url)
    if (text !== undefined) return text
    await wait(pollMilliseconds)
  }
  throw new Error(`the program ended with ${result} before ${url} answered`)
}

/** undefined when nobody listens there, or another code is answered. */
const answerOf = async (url: string): Promise<string | undefined> => {
  try {
    const { statusCode, body } = await request(url)
    const text = await body.text()
    return statusCode === 200 ? text : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ECONNREFUSED', 'UND_ERR_SOCKET'].includes(String(error.code)))
      return undefined
    throw error
  }
}
