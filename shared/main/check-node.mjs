// Explains what to do if `npm start` would fail: sources in TypeScript need Node 24, which `npm ci` installs on Linux. This file is plain
// JavaScript without dependencies, because it runs on Node 20 and before `npm ci`.
import { existsSync } from 'node:fs'

const needed = 24
const { node: version } = process.versions
const isInstalled = existsSync(new URL('../../node_modules/fastify', import.meta.url))

/** Faults in order. The first fault that applies is shown. */
const faults = [
  [!isInstalled, 'what Espalier needs is not installed yet: run `npm ci` once, then `npm start` again'],
  [
    Number.parseInt(version, 10) < needed,
    `this is Node ${version}, and Espalier needs Node ${needed} or newer: \`npm ci\` brings it on Linux, elsewhere install it`,
  ],
]
const [, fault] = faults.find(([applies]) => applies) ?? []
if (fault) {
  process.stderr.write(`start: ${fault}\n`)
  process.exitCode = 1
}
