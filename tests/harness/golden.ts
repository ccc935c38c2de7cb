// Golden files: what is built, as YAML beside the test, reviewed like code.
//   const golden = goldenIn(import.meta.dirname)
//   t.strictSame(objects, golden('virtual-system'))
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** Reads the documents of `golden/<name>.yaml` in that folder. */
export const goldenIn =
  (folder: string) =>
  (name: string): unknown[] =>
    parseAllDocuments(readFileSync(join(folder, 'golden', `${name}.yaml`), 'utf8')).map(document => document.toJS())
