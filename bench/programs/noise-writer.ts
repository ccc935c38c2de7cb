// One runtime that reports far too often. What it costs itself must not slow down those that are measured beside it, since a runtime computes
// on a machine of its own. So it writes the same bytes again and again on its connections, looks only at the heads of answers, and gets a
// processor only when nobody else wants it.
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { serveParent } from '../measure/worker.ts'
import type { Agent, Pace, Reported, Target } from './event-writer.ts'

export type Noise = Pick<Reported, 'events' | 'seconds'> & { readonly answers: Record<string, number> }

type Noising = {
  readonly target: Target
  readonly agent: Agent
  readonly connections: number
  events: number
  seconds: number
  answers: Record<string, number>
}

const all = new Map<string, Noising>()

const requestTo = ({ path }: Target, { event }: Agent): Buffer => {
  const body = JSON.stringify(event)
  const head = [`POST ${path} HTTP/1.1`, 'host: listener', 'content-type: application/json']
  return Buffer.from(`${[...head, `content-length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`)
}

const connected = async ({ url, ca }: Target, { certificate, key }: Agent): Promise<TLSSocket> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ca, cert: certificate, key }).setNoDelay()
  await once(socket, 'secureConnect')
  return socket
}

/** Calls `done` with the head of each answer, once its body is here too. */
const readAnswers = (socket: TLSSocket, done: (head: string) => void): void => {
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
    const headEnd = text.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = text.slice(0, headEnd)
    const [, length = '0'] = /^content-length: (\d+)/im.exec(head) ?? []
    if (text.length < headEnd + 4 + Number(length)) return
    text = ''
    done(head)
  })
}

const answerIn = (head: string): string => {
  const status = head.slice(9, 12)
  return status === '429' && /^retry-after:/im.test(head) ? '429 with Retry-After' : status
}

/** New connections, as the listener closes those that were idle. */
const opened = async ({ target, agent, connections, answers }: Noising) => {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(target, agent)))
  const idle = [...sockets]
  for (const socket of sockets)
    readAnswers(socket, head => {
      const answer = answerIn(head)
      answers[answer] = (answers[answer] ?? 0) + 1
      idle.push(socket)
    })
  return { sockets, idle }
}

const pauseMilliseconds = 2

const commands = {
  begin: (agent: Agent, targets: Readonly<Record<string, Target>>, connections: number): void => {
    setPriority(constants.priority.PRIORITY_LOW)
    for (const [name, target] of Object.entries(targets))
      all.set(name, { target, agent, connections, events: 0, seconds: 0, answers: {} })
  },
  /** What has been counted is forgotten with `warmUp`. */
  write: async (target: string, { perSecond, seconds }: Pace, warmUp = false): Promise<void> => {
    const one = all.get(target)
    if (!one) throw new Error(`there is no target ${target}`)
    const request = requestTo(one.target, one.agent)
    const { sockets, idle } = await opened(one)
    const began = performance.now()
    const secondsSince = () => (performance.now() - began) / 1_000
    const most = Math.round(perSecond * seconds)
    for (let sent = 0; sent < most; ) {
      for (const due = Math.min(seconds, secondsSince()) * perSecond; sent < due && idle.length > 0; sent++)
        idle.pop()?.write(request)
      await wait(pauseMilliseconds)
    }
    while (idle.length < sockets.length) await wait(pauseMilliseconds)
    one.events += most
    one.seconds += secondsSince()
    for (const socket of sockets) socket.end()
    if (warmUp) Object.assign(one, { events: 0, seconds: 0, answers: {} })
  },
  told: (target: string): Noise => {
    const { events, seconds, answers } = all.get(target) as Noising
    return { events, seconds, answers }
  },
}

export type NoiseWriter = typeof commands

serveParent(commands)
