// `node tests/conformance/record.ts [FN-60 …]` writes what the real API server answers into the cases: into all of the rows
// that are named, or into those that have no answers yet. Look at the difference before it is committed.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Document, isCollection, isMap, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { startControlPlane } from '../harness/control-plane/control-plane.ts'
import { describedCluster } from '../harness/control-plane/control-plane-folder.ts'
import { type Case, casesFolder, type Row, rows } from './cases.ts'
import { played, type Stage } from './play.ts'
import { webhookServer } from './webhook-server.ts'

const longestLine = 110

const record = async (stage: Stage, { id }: Row, isAll: boolean): Promise<void> => {
  const path = join(casesFolder, `${id}.yaml`)
  const document = parseDocument(readFileSync(path, 'utf8'), { merge: true })
  const { cases } = document.toJS() as Row
  const nodes = document.get('cases') as YAMLSeq<YAMLMap>
  const prefix = `${stage.prefix}-${id.slice(3)}`
  await Promise.all(
    cases.map(async (each, number) => {
      const node = nodes.items[number]
      if (!node || (!isAll && isRecorded(each))) return
      await recordCase({ ...stage, prefix }, document, node, each, number)
    }),
  )
  writeFileSync(path, document.toString({ lineWidth: 0, flowCollectionPadding: true }))
}

const isRecorded = ({ steps }: Case): boolean =>
  steps.every(step => step.then !== undefined || step.await || step.until || step.webhooks)

const recordCase = async (
  stage: Stage,
  document: Document,
  node: YAMLMap,
  each: Case,
  number: number,
): Promise<void> => {
  try {
    const seen = await played(stage, each, number)
    const steps = node.get('steps') as YAMLSeq<YAMLMap>
    for (const [index, value] of seen.entries()) {
      const step = steps.items[index]
      if (value === undefined || !isMap(step)) continue
      step.flow = false
      step.set('then', compact(document, value))
    }
  } catch (error) {
    console.error(`${each.name}: ${error}`)
  }
}

/** Lines as long as they are readable. */
const compact = (document: Document, value: unknown): unknown => {
  const node = document.createNode(JSON.parse(JSON.stringify(value)))
  const settle = (part: unknown): void => {
    if (!isCollection(part)) return
    part.flow = JSON.stringify(part).length <= longestLine
    if (!part.flow)
      for (const item of part.items) settle(isCollection(item) ? item : (item as { value?: unknown }).value)
  }
  settle(node)
  return node
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
