// `node tests/conformance/record.ts [FN-60 …]` writes what the real API server answers into the cases: into all of the rows
// that are named, or into those that have no answers yet. What has not changed stays as it is. Look at the difference before you commit it.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  Document,
  isCollection,
  isMap,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { startControlPlane } from '../harness/control-plane/control-plane.ts'
import { describedCluster } from '../harness/control-plane/control-plane-folder.ts'
import { type Case, casesFolder, type Row, rows } from './cases.ts'
import { played, type Stage } from './play.ts'
import { webhookServer } from './webhook-server.ts'

const longestLine = 110

/** A step's `then` and the text it gets: everything else in the file stays as it is. */
type Change = { readonly from: number; readonly to: number; readonly text: string }

const record = async (stage: Stage, { id }: Row, isAll: boolean): Promise<void> => {
  const path = join(casesFolder, `${id}.yaml`)
  const text = readFileSync(path, 'utf8')
  const document = parseDocument(text, { merge: true })
  const { cases } = document.toJS() as Row
  const nodes = document.get('cases') as YAMLSeq<YAMLMap>
  const prefix = `${stage.prefix}-${id.slice(3)}`
  const changes = await Promise.all(
    cases.map((each, number) => {
      const node = nodes.items[number]
      return !node || (!isAll && isRecorded(each)) ? [] : recordCase({ ...stage, prefix }, node, each, number)
    }),
  )
  const changed = changes.flat().sort((one, other) => other.from - one.from)
  if (changed.length === 0) return
  writeFileSync(
    path,
    changed.reduce((before, { from, to, text }) => before.slice(0, from) + text + before.slice(to), text),
  )
}

const isRecorded = ({ steps }: Case): boolean =>
  steps.every(
    step => step.then !== undefined || step.await || step.served || step.until || step.webhooks || step.policies,
  )

const recordCase = async (stage: Stage, node: YAMLMap, each: Case, number: number): Promise<Change[]> => {
  try {
    const seen = await played(stage, each, number)
    const steps = (node.get('steps') as YAMLSeq).items
    return seen.flatMap((value, index) => {
      const step = steps[index]
      const isNews = value !== undefined && !isDeepStrictEqual(value, each.steps[index]?.then)
      return isNews && isMap(step) ? [changeOf(step, value)] : []
    })
  } catch (error) {
    console.error(`${each.name}: ${error}`)
    return []
  }
}

/** `then` is the last line of its step, which is written as a block. */
const changeOf = (step: YAMLMap, value: unknown): Change => {
  const indent = ' '.repeat(8)
  const lines = compact(value).trimEnd().split('\n').join(`\n${indent}`)
  const place = step.items.find(({ key }) => isScalar(key) && key.value === 'then')
  const last = step.items.at(-1)
  const to = endOf(place ?? last)
  const [from = 0] = (place?.key as Scalar | undefined)?.range ?? []
  return place ? { from, to, text: lines } : { from: to, to, text: `\n${indent}${lines}` }
}

const endOf = (pair: Pair | undefined): number => ((pair?.value ?? pair?.key) as Node | undefined)?.range?.[1] ?? 0

/** Lines as long as they are readable. */
const compact = (value: unknown): string => {
  const document = new Document(new Map([['then', JSON.parse(JSON.stringify(value))]]))
  const settle = (part: unknown): void => {
    if (!isCollection(part)) return
    part.flow = JSON.stringify(part).length <= longestLine
    if (!part.flow)
      for (const item of part.items) settle(isCollection(item) ? item : (item as { value?: unknown }).value)
  }
  settle(document.get('then'))
  return document.toString({ lineWidth: 0, flowCollectionPadding: true })
}

const asked = process.argv.slice(2)
const endings: (() => unknown)[] = []
const running = process.env.ESPALIER_TEST_CLUSTERS
const dir = running ? join(running, 'real') : mkdtempSync(join(tmpdir(), 'espalier-record-'))
const described = describedCluster(dir)
const cluster = described ?? (await startControlPlane({ dir }))
const webhooks = await webhookServer({ teardown: ending => void endings.push(ending as () => unknown) })
const stage = { endpoint: cluster, admin: cluster.admin, prefix: `test-${randomBytes(5).toString('hex')}`, webhooks }
for (const row of rows()) if (asked.length === 0 || asked.includes(row.id)) await record(stage, row, asked.length > 0)
for (const ending of endings) await ending()
if (!described) {
  await (cluster as Awaited<ReturnType<typeof startControlPlane>>).stop()
  rmSync(dir, { recursive: true, force: true })
}
