// The least that can answer a review: node:https, the body read and parsed, a constant verdict.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { holdLittleMemory } from '../../shared/main/v8-flags.ts'
import { serveParent } from '../measure/worker.ts'

const commands = {
  /** Answers its port. */
  begin: async (certificateFolder: string): Promise<number> => {
    const [cert, key] = ['tls.crt', 'tls.key'].map(file => readFileSync(join(certificateFolder, file)))
    const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const { kind, apiVersion, request: asked } = JSON.parse(Buffer.concat(chunks).toString())
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ kind, apiVersion, response: { uid: asked.uid, allowed: true } }))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
}

export type BareReviewServer = typeof commands

holdLittleMemory('half')
serveParent(commands)
