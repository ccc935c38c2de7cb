// `espalier dev`: runs `espalier start`, again after each saved file of the operator. Objects are kept in a folder; ports and kubeconfig stay the
// same. Each start first prints what the functions will do.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'

/** What the functions are made of, in the folder of serverless.yml. */
const watched = ['serverless.yml', 'functions', 'kinds', 'samples']

/** Editors save a file in several steps. */
const settleMilliseconds = 100

const flags = process.argv.slice(2)
/** An embedded cluster that keeps its objects, whatever KUBECONFIG says. */
const defaults = [`--data=${join('.espalier', 'data')}`, '--kubeconfig=', '--plans'].filter(
  one => !flags.some(flag => flag.startsWith(one.split('=')[0] ?? '')),
)
const [, program = ''] = process.argv

let child: ChildProcess | undefined
let isEnding = false
let timer: NodeJS.Timeout | undefined

const begin = (): void => {
  // Detached, so that Ctrl-C reaches only this process, which passes it on. A second signal would end the program at once.
  child = spawn(process.execPath, [program, 'start', ...defaults, ...flags], { stdio: 'inherit', detached: true })
  child.on('exit', code => {
    child = undefined
    if (isEnding) process.exit(code ?? 0)
    // Where there is nothing to watch, this process ends, too.
    process.exitCode = code ?? 1
  })
}

const beginAgain = async (file: string): Promise<void> => {
  process.stdout.write(`saved      ${file}: it starts again\n`)
  const ended = child && once(child, 'exit')
  child?.kill('SIGTERM')
  await ended
  begin()
}

const changed = (file: string): void => {
  clearTimeout(timer)
  timer = setTimeout(() => void beginAgain(file), settleMilliseconds)
}

for (const path of watched.filter(existsSync))
  watch(path, { recursive: true }, (_, file) => changed(path === file ? path : join(path, file ?? '')))

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isEnding = true
    if (child) child.kill(signal)
    else process.exit(0)
  })

if (flags.includes('--help')) {
  process.stdout.write(
    'espalier dev [flags of espalier start]\n\nRuns `espalier start`, and starts it again when a file is saved; objects stay. Before functions are called,\nit prints the plan of each object.\n',
  )
  process.exit(0)
}
begin()
