// `node room.ts FILE…`: runs test files in this process, one after another, each as a test of tap with the name of the file. What a file imports as
// tap is that test. So tests, teardown and jobs belong to the file, and the same file also runs alone.
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import type { Test } from 'tap'

// Removed before tap loads, because tap names the folders of tests after all of process.argv.
const files = process.argv.splice(2)
const { default: t } = await import('tap')

const testOfFile = new URL('test-of-file.ts', import.meta.url)

let current: Test = t

/** The test of the file that is being imported. */
export const currentTest = (): Test => current

/** Each test file gets a module of its own for tap. */
registerHooks({
  resolve: (name, context, next) =>
    name === 'tap' && context.parentURL?.endsWith('.test.ts')
      ? { url: `${testOfFile}?${context.parentURL}`, shortCircuit: true }
      : next(name, context),
})

for (const file of files) {
  t.test(file, async t => {
    current = t
    await import(resolve(file))
  })
}
