// Ports for servers whose port must be known before they start.
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below 32768, because Linux takes ports of outgoing connections from there on. So nobody takes the port of a server that is away for a while, as in
 * tests that stop an API server and start it again.
 */
const lowest = 10_240
const beyond = 32_768

/** So many different ports on which nobody listens now. Somebody else may still be faster. */
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
