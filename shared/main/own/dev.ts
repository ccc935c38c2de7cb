// `espalier dev`: runs `espalier start`, and restarts it after each saved file of the operator. Objects are stored in a folder. Ports and
// kubeconfig do not change. Each start first prints the plans of the functions.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '../../http/settings/config.ts'
import { startSettings } from '../start/start-settings.ts'

const usage = `espalier dev [flags of espalier start]

Runs espalier start, and starts it again when a file is saved; objects stay. Before functions are called, it prints the plan of each object.

  --no-plans  Prints no plans

Examples:
  espalier dev
  espalier dev --no-plans --port 20000
`

/** The inputs of the functions, in the folder of serverless.yml. None if no saved file helps, such as with a wrong flag. */
const files =
  readSettings(startSettings, 'espalier dev').is === 'settings'
    ? ['serverless.yml', 'functions', 'kinds', 'samples'].filter(existsSync)
    : []

/** The pause after a change, because editors save a file in several steps. */
const settleMilliseconds = 100

/** An embedded cluster that stores its objects, whatever KUBECONFIG says. A later flag overrides an earlier flag. */
const flags = [`--data=${join('.espalier', 'data')}`, '--kubeconfig=', '--plans', ...process.argv.slice(2)]
const [, program = ''] = process.argv

let child: ChildProcess | undefined
let isEnding = false
let isRestarting = false
let timer: NodeJS.Timeout | undefined

const begin = (): void => {
  isRestarting = false
  // Detached, so that Ctrl-C reaches only this process, which sends one signal. A second signal would end the program immediately.
  child = spawn(process.execPath, [program, 'start', ...flags], { stdio: 'inherit', detached: true })
  child.on('exit', code => {
    child = undefined
    if (isEnding) process.exit(code ?? 0)
    // If there is nothing to watch, this process also ends.
    process.exitCode = code ?? 1
    if (code !== 0 && !isRestarting && files.length > 0)
      process.stdout.write('waits      until a file is saved; Ctrl-C ends it\n')
  })
}

const beginAgain = async (file: string): Promise<void> => {
  process.stdout.write(`saved      ${file}: restarting\n`)
  // The start after the running restart has this file, too. A second signal would end the program immediately.
  if (isRestarting) return
  isRestarting = true
  const ended = child && once(child, 'exit')
  child?.kill('SIGTERM')
  await ended
  begin()
}

const changed = (file: string): void => {
  clearTimeout(timer)
  timer = setTimeout(() => void beginAgain(file), settleMilliseconds)
}

for (const path of files)
  watch(path, { recursive: true }, (_, file) => changed(path === file ? path : join(path, file ?? '')))

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isEnding = true
    if (child) child.kill(signal)
    else process.exit(0)
  })

if (flags.includes('--help')) {
  process.stdout.write(usage)
  process.exit(0)
}
begin()
