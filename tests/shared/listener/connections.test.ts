// Which connection of a listener ends when there are too many, and what a listener takes of one. The sockets are stand-ins.
import { EventEmitter, once } from 'node:events'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { openConnections } from '../../../shared/listener/connections.ts'
import { type ListenerLimit, limitedServer, usualLimits } from '../../../shared/listener/server.ts'
import { eventually } from '../../harness/until.ts'

t.test(
  'RE-27 a connection whose request still arrives or whose answer is not fetched ends before a busy one',
  async t => {
    const clock = { now: 0 }
    const ended: string[] = []
    const limits: string[] = []
    const bounds = { most: 3, unfetchedBytesMost: 1 }
    const connections = openConnections({ ...bounds, reached: limit => void limits.push(limit) }, () => clock.now)
    let ports = 0
    const opened = (name: string): Socket => {
      const facts = { remoteAddress: '10.0.0.1', remotePort: ++ports, destroy: () => void ended.push(name) }
      const socket = Object.assign(new EventEmitter(), facts) as unknown as Socket
      connections.opened(socket)
      clock.now++
      return socket
    }
    const asks = (socket: Socket, { complete, writableEnded }: { complete: boolean; writableEnded: boolean }) => {
      const req = { socket, complete } as IncomingMessage
      const response = Object.assign(new EventEmitter(), { req, writableEnded }) as unknown as ServerResponse
      return connections.takes(req, response)
    }
    t.ok(asks(opened('busy'), { complete: true, writableEnded: false }))
    t.ok(asks(opened('not fetching'), { complete: true, writableEnded: true }))
    t.ok(asks(opened('arriving'), { complete: false, writableEnded: false }))
    for (const name of ['one more', 'and another']) t.ok(asks(opened(name), { complete: true, writableEnded: false }))
    t.strictSame(ended, ['not fetching', 'arriving'])
    t.strictSame(limits, ['connections', 'connections'])
  },
)

t.test(
  'RE-27 untuned, a listener has 512 connections, 32 MiB for bodies, and 10 s for a request to arrive',
  async t => {
    t.strictSame(usualLimits, { connections: 512, bodyBytes: 32 * 2 ** 20, arrivalSeconds: 10 })
  },
)

t.test('RE-94 an idle connection is kept for longer than the 90 s after which an API server closes it', async t => {
  const server = limitedServer((_, response) => void response.end(), { limits: usualLimits })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => {
    agent.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const [response] = await once(request({ host: '127.0.0.1', port, agent }).end(), 'response')
  response.resume()
  const seconds = Number(/^timeout=(\d+)$/.exec(response.headers['keep-alive'])?.[1])
  t.ok(seconds > 90, `${seconds} s`)
})

t.test('RE-27 of a request that nobody reads 16 KiB are held', async t => {
  const held: number[] = []
  const answer = (asked: IncomingMessage, response: ServerResponse): void => {
    held.push(asked.readableHighWaterMark)
    response.end()
  }
  const server = limitedServer(answer, { limits: usualLimits, limitReached() {} })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const [response] = await once(request({ host: '127.0.0.1', port, agent: false }).end(), 'response')
  response.resume()
  await once(response, 'end')
  t.strictSame(held, [16_384])
})

/** A listener whose every answer has 64 MiB, many times what a network holds of it, and who asks it and reads nothing. */
const longAnswers = async (t: Test) => {
  const long = Buffer.alloc(64 * 2 ** 20)
  const limits: ListenerLimit[] = []
  const server = limitedServer((_, response) => void response.end(long), {
    limits: { ...usualLimits, bodyBytes: 160 * 2 ** 20 },
    limitReached: limit => void limits.push(limit),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  let asked = 0
  server.on('request', () => asked++)
  const asks = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' }).pause()
    t.teardown(() => socket.destroy())
    const before = asked
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await eventually('it is asked', async () => asked > before)
    return socket
  }
  const open = (): Promise<number> =>
    new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
  return { asks, open, limits, bytes: long.length }
}

t.test('RE-27 answers that nobody fetches hold no more than bodies may, apart from the largest', async t => {
  const { asks, open, limits, bytes } = await longAnswers(t)
  for (let count = 0; count < 3; count++) await asks()
  t.strictSame(limits, [], 'two beside the largest have room')
  for (let count = 0; count < 3; count++) await asks()
  t.strictSame(limits, ['unfetchedBytes', 'unfetchedBytes', 'unfetchedBytes'])
  await eventually('three are over', async () => (await open()) === 3)
  const reader = await asks()
  let read = 0
  reader.resume().on('data', piece => {
    read += piece.length
  })
  await eventually('who reads has all of it', async () => read > bytes)
})
