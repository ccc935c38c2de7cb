// `npm run bench:client`: the client of shared/kube beside a bare undici loop, on one API server in the same minutes. Both
// run in this process and take turns.
import { createClient } from '../shared/kube/client/client.ts'
import {
  type ApiLoops,
  bareLoops,
  clientLoops,
  listed,
  type Operation,
  operations,
  prepare,
} from './measure/api-loops.ts'
import { bareApi } from './measure/bare-api.ts'
import { compared, median, secondsOf } from './measure/load.ts'
import { onRealCluster, type RealCluster } from './measure/real-cluster.ts'
import { print, progress, type Row, ratio } from './measure/report.ts'

const loopSeconds = 4
const listRounds = 5

const about = `The client of \`shared/kube\` beside a bare undici loop that parses answers and looks no further. ConfigMaps of
some 500 bytes, on a kube-apiserver with etcd that has the same cores.`

type Pair = { client: ApiLoops; bare: ApiLoops }

const run = async (cluster: RealCluster): Promise<void> => {
  const credentials = { ca: Buffer.from(cluster.caData, 'base64').toString(), ...cluster.admin }
  const client = createClient({ server: cluster.url, credentials: () => credentials })
  const bare = bareApi(cluster, cluster.admin)
  progress(`making ${listed} ConfigMaps`)
  await prepare(bare)
  const lists = [await listRow({ client: clientLoops(client, ''), bare: bareLoops(bare, '') })]
  const rows: Row[] = []
  for (const inFlight of [1, 32]) {
    const pair = { client: clientLoops(client, `client-${inFlight}`), bare: bareLoops(bare, `bare-${inFlight}`) }
    for (const operation of operations) rows.push(await loopRow(pair, operation, inFlight))
  }
  await Promise.all([client.close(), bare.close()])
  print({ title: 'Client', about, tables: [rows, lists] })
}

const loopRow = async ({ client, bare }: Pair, operation: Operation, inFlight: number): Promise<Row> => {
  progress(`${operation}, ${inFlight} in flight`)
  const contestants = { client: client[operation], bare: bare[operation] }
  const tallies = await compared(contestants, { callers: inFlight, seconds: loopSeconds })
  return {
    operation,
    'in flight': inFlight,
    'client /s': tallies.client.perSecond,
    'bare /s': tallies.bare.perSecond,
    'client : bare': ratio(tallies.client.perSecond, tallies.bare.perSecond),
    'client p99 ms': tallies.client.milliseconds(0.99),
    'bare p99 ms': tallies.bare.milliseconds(0.99),
    failures: tallies.client.failures + tallies.bare.failures,
  }
}

const listRow = async ({ client, bare }: Pair): Promise<Row> => {
  progress('LIST')
  const took: Record<keyof Pair, number[]> = { client: [], bare: [] }
  for (let round = 0; round < listRounds; round++) {
    took.client.push(await secondsOf(client.list))
    took.bare.push(await secondsOf(bare.list))
  }
  const [ours, beside] = [median(took.client), median(took.bare)]
  return {
    operation: `LIST of ${listed} by 500, median of ${listRounds}`,
    'client s': ours,
    'bare s': beside,
    'client : bare': ratio(ours, beside),
  }
}

await onRealCluster(run)
