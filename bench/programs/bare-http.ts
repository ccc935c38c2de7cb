// The least that answers over HTTP at all: what Node itself costs. Its port is the first argument.
import { createServer } from 'node:http'

process.once('SIGTERM', () => process.exit())
createServer((_, response) => response.end('{"live":true}')).listen(Number(process.argv[2]), '127.0.0.1')
