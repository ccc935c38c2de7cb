// `espalier test`: runs the tests of the operator in this folder with the test runner of Node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../core/text/error-text.ts'
import { beginOwn } from '../cli/command.ts'
import { landscapeIn, ownFolder } from '../landscape.ts'
import { foundFunctions } from './own-functions.ts'

const usage = `espalier test [PATH ...] [--name PATTERN] [--watch]

Runs test files with the test runner of Node. A PATH is such a file, or a folder with files *.test.ts; without PATH
it is the folder tests. No cluster is needed.

  --name PATTERN  Only tests whose name matches the regular expression
  --watch         Runs a test again when its file, or a module that it imports, is saved

Examples:
  espalier test
  espalier test tests/website.test.ts --name Deployment

Exit codes: 0 all tests passed, 1 a test failed, 2 there are no tests, or a flag, serverless.yml or a function is wrong.
`

const options = { name: { type: 'string' }, watch: { type: 'boolean' } } as const

type Given = { readonly values: { name?: string; watch?: boolean }; readonly positionals: readonly string[] }

const test = async ({ values: { name, watch }, positionals }: Given): Promise<number> => {
  const places = positionals.length > 0 ? positionals : ['tests']
  const files = places.flatMap(testFiles)
  if (files.length === 0)
    throw new Error(
      `there are no tests in ${places.join(', ')}: expected files *.test.ts, as espalier init writes them`,
    )
  if (!watch) await refuseBroken()
  const flags = [
    ...(name === undefined ? [] : [`--test-name-pattern=${patternIn(name)}`]),
    ...(watch ? ['--watch'] : []),
  ]
  const [code] = await once(spawn(process.execPath, ['--test', ...flags, ...files], { stdio: 'inherit' }), 'exit')
  return code ?? 1
}

/** Each test of a broken function would fail with the same sentence and a stack. */
const refuseBroken = async (): Promise<void> => {
  const folder = ownFolder(undefined)
  if (folder === undefined) return
  const landscape = await landscapeIn(folder)
  await foundFunctions(Object.keys(landscape.functions), landscape, folder)
}

const expected = 'expected a file such as tests/website.test.ts, or a folder with files *.test.ts'

const patternIn = (name: string): string => {
  try {
    return new RegExp(name).source
  } catch (error) {
    throw new Error(`--name is ${name}: expected a regular expression: ${errorText(error)}`, { cause: error })
  }
}

const testFiles = (path: string): string[] => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found && path !== 'tests') throw new Error(`${path} does not exist: ${expected}`)
  if (found?.isFile() && !/\.[mc]?[jt]s$/.test(path)) throw new Error(`${path} holds no tests: ${expected}`)
  return found?.isFile() ? [path] : globSync(join(path, '**/*.test.ts')).sort()
}

await beginOwn({ name: 'test', usage, options, allowPositionals: true, faultCode: 2, run: test })
