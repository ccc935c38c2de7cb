// `node run-second-node.ts FOLDER ARCHIVE…`, on the second machine: starts a node there, prints a line when it is Ready, and keeps it until
// it is killed.
import { secondMachine } from './apart.ts'
import { startNode } from './node.ts'

const [dir = '', ...archives] = process.argv.slice(2)
await startNode(dir, archives, secondMachine)
process.stdout.write('ready\n')
setInterval(() => undefined, 60_000)
