// Ports for servers that must be told theirs beforehand.
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below 32768, where Linux does not take the ports of outgoing connections from: so a port does not get lost while the
 * server that had it is away for a while, as in the tests which stop an API server and start it again.
 */
const lowest = 10_240
const beyond = 32_768

/** That many different ports which nobody listens on at the moment; somebody else may still be faster. */
export async function freePorts(count: number): Promise<number[]> {
  const free = new Set<number>()
  while (free.size < count) {
    const port = lowest + Math.floor(Math.random() * (beyond - lowest))
    if (await isFree(port)) free.add(port)
  }
  return [...free]
}

/** Whether nobody listens there. */
export async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    probe.listen(port, '127.0.0.1')
    await once(probe, 'listening')
    return true
  } catch {
    return false
  } finally {
    probe.close()
  }
}
