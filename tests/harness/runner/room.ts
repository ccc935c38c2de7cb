// `node room.ts FILE…`: runs test files in this process, one after another, each as a test of tap that has the file's name. What a file
// imports as tap is that test, so its tests, its teardown and its jobs are its own, and it is the same file that runs alone.
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import type { Test } from 'tap'

// Taken before tap is there, which names the folders of tests after all that stands here.
const files = process.argv.splice(2)
const { default: t } = await import('tap')

const testOfFile = new URL('test-of-file.ts', import.meta.url)

let current: Test = t

/** The test that stands for the file that is being imported. */
export const currentTest = (): Test => current

/** Each file of tests gets a module of its own for tap. */
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
