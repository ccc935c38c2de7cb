// A server of webhooks in a process of its own, called over HTTPS with reviews.
import { Pool } from 'undici'
import { nodeFlags } from '../../shared/deploy/pod.ts'
import type { Call } from './load.ts'
import { cpuSeconds } from './process.ts'
import { startWorker } from './worker.ts'

/** One kind of review: where it goes, its text with a uid, and whether it shall be allowed. */
export type Asked = { readonly path: string; readonly text: (uid: string) => string; readonly isAllowed: boolean }

export type ReviewServer = {
  readonly pid: number
  /** Sends such a review over and over; every caller has a connection of its own. */
  call(asked: Asked): Call
  /** What the server has computed for one review, on average since this was asked last. */
  cpuMilliseconds(): number
  close(): Promise<void>
}

type Begin = { begin(certificateFolder: string): Promise<number> }

/** Starts a program of bench/programs whose command `begin` answers the port of its webhooks. */
export const reviewServer = async (
  program: string,
  certificates: { folder: string; ca: string },
): Promise<ReviewServer> => {
  const worker = startWorker<Begin>(program, nodeFlags.host)
  const port = await worker.ask('begin', certificates.folder)
  const pool = new Pool(`https://127.0.0.1:${port}`, { connections: 64, connect: { ca: certificates.ca } })
  let count = 0
  let before = { count, cpu: cpuSeconds(worker.pid) }
  const call =
    ({ path, text, isAllowed }: Asked): Call =>
    async turn => {
      const uid = `review-${turn}`
      count++
      const headers = { 'content-type': 'application/json' }
      const answer = await pool.request({ method: 'POST', path, headers, body: text(uid) })
      const { response } = (await answer.body.json()) as { response?: { uid?: string; allowed?: boolean } }
      if (response?.uid !== uid || response.allowed !== isAllowed)
        throw new Error(`${answer.statusCode}: ${JSON.stringify(response)}`)
    }
  const cpuMilliseconds = () => {
    const now = { count, cpu: cpuSeconds(worker.pid) }
    const each = ((now.cpu - before.cpu) / (now.count - before.count)) * 1000
    before = now
    return each
  }
  const close = async () => {
    await pool.close()
    await worker.end()
  }
  return { pid: worker.pid, call, cpuMilliseconds, close }
}
