// A folder for one test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** The folder is empty at first, and is removed with the test. */
export const testFolder = (t: Pick<Test, 'teardown'>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
