// An embedded cluster in a process of its own, for tests that kill it: keeps its objects in the folder of the first
// argument, makes ConfigMaps without end, two at a time, and says of each when it was answered.
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { apiClient } from '../../harness/clients/api.ts'

const [data = '', compactBytes = ''] = process.argv.slice(2)
const cluster = await startEmbeddedCluster({ data, compactBytes: Number(compactBytes) })
const api = apiClient(cluster, { token: cluster.adminToken })
const collection = '/api/v1/namespaces/default/configmaps'

const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const write = async (writer: string): Promise<void> => {
  for (let number = 1; ; number++) {
    const body = { metadata: { name: `${writer}-${number}` }, data: { text: 'x'.repeat(number % 400) } }
    const { metadata } = (await api.call('POST', collection, { body })).body
    say({ name: metadata?.name, uid: metadata?.uid, resourceVersion: metadata?.resourceVersion })
    if (number % 3 > 0) continue
    await api.call('DELETE', `${collection}/${writer}-${number}`)
    say({ gone: `${writer}-${number}` })
  }
}

say({ caData: cluster.caData })
await Promise.all(['one', 'two'].map(write))
