// Unpacks the archives on stdin (JSON, base64 by name) and prints what became of each. The archive test runs it in a process
// that may write no file.
import { json } from 'node:stream/consumers'
import { unpackTarGz } from '../../../shared/render/unpack.ts'

const archives = (await json(process.stdin)) as Record<string, string>
const outcome = (base64: string): string => {
  try {
    const files = unpackTarGz(Buffer.from(base64, 'base64'))
    return JSON.stringify([...files].map(([path, content]) => [path, content.length]))
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}
const outcomes = Object.entries(archives).map(([name, base64]) => [name, outcome(base64)])
process.stdout.write(JSON.stringify(Object.fromEntries(outcomes)))
