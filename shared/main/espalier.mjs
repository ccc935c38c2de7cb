#!/usr/bin/env node
// The command `espalier`. Its TypeScript sources need Node 24. An older Node runs them with the Node that `npm ci` installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const needed = 24
const program = join(import.meta.dirname, 'espalier.ts')
const own = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'node')

if (Number.parseInt(process.versions.node, 10) >= needed) {
  await import('./compile-cache.mjs')
  await import(program)
}
else if (existsSync(own)) process.exitCode = spawnSync(own, [program, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 2
else {
  process.stderr.write(`espalier: this is Node ${process.versions.node}, and Espalier needs Node ${needed} or newer: run \`npm ci\` once\n`)
  process.exitCode = 2
}
