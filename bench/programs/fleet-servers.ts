// The API servers of a fleet, all in one process: below the path `/quiet-7` one that shows a single ConfigMap and says when it changed,
// and below `/hostile` one that does to whoever asks what it is told: behave, flood a watch with events, or send lists without end.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { drained } from '../../tests/harness/clients/hostile-api-server.ts'
import { wallMilliseconds } from '../measure/wall-clock.ts'
import { serveParent } from '../measure/worker.ts'

export type Mischief = 'none' | 'floods of events' | 'lists without end' | 'a byte at a time'

type Serving = { readonly certificate: string; readonly key: string }

/** Open watches by the name of their cluster. */
const watches = new Map<string, Set<ServerResponse>>()
let version = 100
let mischief: Mischief = 'none'
let sentBytes = 0

const configMap = (name: string, size = 100) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  data: { text: 'x'.repeat(size) },
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(++version) },
})

const lineOf = (name: string): string => `${JSON.stringify({ type: 'MODIFIED', object: configMap(name) })}\n`

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const [, cluster = '', ...rest] = (request.url ?? '').split('/')
  const isWatch = /[?&]watch=/.test(rest.join('/'))
  response.setHeader('content-type', 'application/json')
  if (isWatch) watched(cluster, response)
  if (cluster === 'hostile' && mischief !== 'none') void misbehave(response, isWatch).catch(() => response.destroy())
  else if (!isWatch) response.end(JSON.stringify(listOf(cluster)))
  else response.flushHeaders()
}

const listOf = (cluster: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMapList',
  metadata: { resourceVersion: String(version) },
  items: [configMap(cluster)],
})

const watched = (cluster: string, response: ServerResponse): void => {
  const open = watches.get(cluster) ?? new Set()
  watches.set(cluster, open.add(response))
  response.on('close', () => open.delete(response))
}

/** Until nobody listens, or it is told to behave. */
const misbehave = async (response: ServerResponse, isWatch: boolean): Promise<void> => {
  const pieces: Record<Mischief, () => string> = {
    none: () => '',
    'floods of events': () => lineOf(`flood-${version % 5_000}`).repeat(50),
    'lists without end': () => `${JSON.stringify(configMap('large', 64 * 1024))},`,
    'a byte at a time': () => ' ',
  }
  const begun = mischief
  // Whoever is told that its version is too old lists anew.
  if (isWatch && begun !== 'floods of events') return void response.end(expired)
  if (!isWatch && begun === 'floods of events') return void response.end(JSON.stringify(listOf('hostile')))
  if (!isWatch) response.write('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[')
  while (!response.closed && mischief === begun) {
    const piece = pieces[begun]()
    sentBytes += piece.length
    if (!response.write(piece)) await drained(response)
    if (begun === 'a byte at a time') await new Promise(resolve => setTimeout(resolve, 10))
  }
  response.destroy()
}

const expired = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } })}\n`

const commands = {
  /** Answers its port. */
  begin: async ({ certificate, key }: Serving): Promise<number> => {
    const server = createServer({ cert: certificate, key }, answer)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
  /** How many of the clusters with this beginning are watched. */
  watched: (beginning: string): number =>
    [...watches].filter(([name, open]) => name.startsWith(beginning) && open.size > 0).length,
  /** The ConfigMap of that cluster changes. Answers when. */
  change: (cluster: string): number => {
    const at = wallMilliseconds()
    for (const response of watches.get(cluster) ?? []) response.write(lineOf(cluster))
    return at
  },
  /** The hostile cluster ends all its answers, and does this from now on. */
  play: (next: Mischief): void => {
    mischief = next
    for (const response of watches.get('hostile') ?? []) response.destroy()
  },
  sentMegabytes: (): number => sentBytes / 1e6,
}

export type FleetServers = typeof commands

serveParent(commands)
