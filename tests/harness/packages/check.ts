// `npm run types` and `npm run lint`: runs a program of the set `checks`, which the first argument names, with the other arguments.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { installedPackages } from './packages.ts'

const [name = '', ...args] = process.argv.slice(2)
const program = join(await installedPackages('checks'), 'node_modules', '.bin', name)
spawn(program, args, { stdio: 'inherit' }).on('exit', code => {
  process.exitCode = code ?? 1
})
