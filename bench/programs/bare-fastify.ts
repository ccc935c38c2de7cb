// The least that a host built on Fastify could be: one route, nothing checked. Its port is the first argument.
import { fastify } from 'fastify'

// An orderly end is when Node writes its compile cache.
process.once('SIGTERM', () => process.exit())
const app = fastify()
app.get('/livez', async () => ({ live: true }))
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) })
