// A renderer that does to itself what no chart shall do to its host: each request names what. It speaks to whoever started it as the
// real one does.
import type { RendererMessage, Request } from '../../../../shared/runtime/renderer/renderer.ts'

const send = (message: RendererMessage) => process.send?.(message)
const done = (text: string) => send({ answer: { is: 'objects', texts: [text] }, bytes: process.memoryUsage.rss() })

/** What is kept is not collected. */
const kept: unknown[] = []

const forever = (one: () => void): never => {
  for (;;) one()
}

const attacks: Readonly<Record<string, () => void>> = {
  nothing: () => done('[]'),
  'a wait for a core': () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)
    done('[]')
  },
  'a look at its limits': () => done(JSON.stringify([process.execArgv])),
  'a look around': () => done(JSON.stringify([process.env])),
  endless: () => {
    send({ at: 'orchard/templates/endless.yaml' })
    forever(() => {})
  },
  'small objects': () => forever(() => kept.push({ size: kept.length })),
  'large lists': () => forever(() => kept.push(new Array(30_000_000).fill(0))),
  'a large map': () => {
    const map = new Map<number, number>()
    forever(() => map.set(map.size, 0))
  },
  'texts in the heap': () => forever(() => kept.push('x,'.repeat(10_000_000).split(','))),
  'texts outside the heap': () => {
    const bytes = Buffer.alloc(10_000_000, 'x')
    forever(() => kept.push(bytes.toString('base64')))
  },
  'bytes outside the heap': () => forever(() => kept.push(Buffer.alloc(10_000_000, 1))),
  'an end of its own': () => process.exit(3),
  'an internal error': () => process.kill(process.pid, 'SIGSEGV'),
}

process.on('message', message => {
  const { parameters } = message as Request
  attacks[String(parameters.attack)]?.()
})
process.on('disconnect', () => process.exit())
send({ isUp: true })
