// `espalier logs`: which lines of a log are about an object, and the command with Pods of an API server that has their logs.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { type LogLine, linesAbout, logLinesIn, logText } from '../../../shared/main/cli/log-lines.ts'
import { kubeconfig as kubeconfigText } from '../../harness/clients/kubeconfig.ts'
import { commandLine } from '../../harness/clusters/command-line.ts'
import { contains, lacks } from '../../harness/matches.ts'

const line = (second: number, fields: object): string =>
  JSON.stringify({ level: 'info', time: `2026-03-01T08:00:0${second}.000Z`, ...fields })

const ofHost = [
  line(3, { function: 'component', object: 'n/shop', trace: 'a'.repeat(32), outcome: 'waiting', msg: 'call ended' }),
  'Error: not JSON',
  line(2, { trace: 'a'.repeat(32), msg: 'an upstream answered 503' }),
  line(4, { function: 'component', object: 'n/other', trace: 'b'.repeat(32), msg: 'call ended' }),
  line(5, { function: 'kyma', object: 'n/shop', trace: 'c'.repeat(32), msg: 'call ended' }),
].join('\n')
const ofRelay = line(1, {
  level: 'warn',
  function: 'component',
  key: 'n/shop',
  msg: 'call failed',
  err: { message: 'refused', stack: 's' },
})

t.test(
  'SEE-49 lines that name the object, and those of their traces, the oldest first; other kinds are left out',
  t => {
    const lines = [...logLinesIn(ofHost, 'host-a'), ...logLinesIn(ofRelay, 'relay-a')]
    const found = linesAbout(lines, { key: 'n/shop', functions: ['component'] })
    t.strictSame(
      found.map(({ pod, msg }) => [pod, msg]),
      [
        ['relay-a', 'call failed'],
        ['host-a', 'an upstream answered 503'],
        ['host-a', 'call ended'],
      ],
    )
    t.equal(logText(found[0] as LogLine, 80), '08:00:01 warn  component (relay-a): call failed; refused')
    t.equal(
      logText(found[2] as LogLine, 100),
      '08:00:03 info  component (host-a, trace aaaaaaaa): call ended; outcome waiting',
    )
    t.end()
  },
)

const { cluster, client, namespace, folder, espalier } = await commandLine(t)
const system = 'espalier-system'
const person = { fieldManager: 'person' }

/** The API server with logs of Pods, which the embedded one does not have. `relay-b` has not started. */
const logs: Readonly<Record<string, string>> = { 'host-a': ofHost.replaceAll('n/shop', `${namespace}/shop`) }
const askedLogs: string[] = []
const proxy = createServer(async (request, response) => {
  if (request.url?.includes('/log?')) askedLogs.push(request.url)
  const [, pod] = /\/pods\/([^/]+)\/log\?/.exec(request.url ?? '') ?? []
  const own = pod === undefined ? await cluster.api.call('GET', request.url ?? '') : undefined
  const text = own ? own.text : logs[pod ?? '']
  response.writeHead(own?.status ?? (text === undefined ? 400 : 200), {
    'content-type': pod !== undefined && text !== undefined ? 'text/plain' : 'application/json',
  })
  response.end(text ?? JSON.stringify({ kind: 'Status', message: 'container is waiting to start' }))
})
await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
t.teardown(() => proxy.close())
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
const withLogs = `${folder}/with-logs`
const plain = kubeconfigText({ url, caData: '' }, cluster.admin)
writeFileSync(withLogs, plain.replace(/certificate-authority-data: .*/, 'insecure-skip-tls-verify: true'))
const logsOf = (...args: string[]) => runCommand(commands, ['logs', ...args, '-n', namespace, '--kubeconfig', withLogs])

t.test('SEE-49 logs of all Pods of Espalier; a Pod whose log cannot be read is named', async t => {
  contains(t, (await espalier('logs', 'component', 'shop')).fault, `no Pod of Espalier in namespace ${system}`)
  await client
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: system } }, person)
    .catch(() => undefined)
  const pod = (name: string, labels: Record<string, string>) =>
    client.create(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: system, labels },
        spec: { containers: [{ name: 'a', image: 'a' }] },
      },
      person,
    )
  await pod('host-a', { 'app.kubernetes.io/name': 'espalier' })
  await pod('relay-b', { 'app.kubernetes.io/name': 'espalier' })
  await pod('other', {})
  const { code, out, fault } = await logsOf('component', 'shop')
  t.strictSame([code, fault], [0, ''])
  contains(t, out, 'component (host-a, trace aaaaaaaa): call ended; outcome waiting')
  contains(
    t,
    out.replaceAll(/\s+/g, ' '),
    `warning the log of Pod ${system}/relay-b cannot be read: container is waiting`,
  )
  lacks(t, out, 'Pod espalier-system/other')
  t.equal(JSON.parse((await logsOf('component', 'shop', '-o', 'json')).out).length, 2)
  contains(t, (await logsOf('component', 'none')).out, 'no line about Component')
  const secondsOf = async (...more: string[]): Promise<unknown> => {
    askedLogs.length = 0
    await logsOf('component', 'shop', ...more)
    return [...new Set(askedLogs.map(url => /sinceSeconds=(\d+)/.exec(url)?.[1]))]
  }
  t.strictSame([await secondsOf(), await secondsOf('--since', '10')], [['3600'], ['600']])
})

t.test('SEE-49 what a person gets wrong is named; exit 2', async t => {
  for (const [args, expected] of [
    [['component', 'shop', '--since', 'soon'], '--since is soon: expected a number of minutes, such as 60'],
    [['pod', 'x'], 'no function is called for a Pod'],
    [['component'], 'expected KIND NAME, found component'],
  ] as const) {
    const { code, fault } = await logsOf(...args)
    t.equal(code, 2)
    contains(t, fault, expected)
  }
})
