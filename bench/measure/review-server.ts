// A server of webhooks in a process of its own, called over HTTPS with reviews.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { nodeFlags } from '../../shared/deploy/workloads/pod.ts'
import { newAuthority } from '../../tests/harness/clients/certificates.ts'
import { startLifelined } from '../../tests/harness/processes/bound-processes.ts'
import { freePorts, isFree } from '../../tests/harness/processes/ports.ts'
import { linesTo } from './lines.ts'
import type { Call } from './load.ts'
import { cpuSeconds, peakResidentMegabytes, residentMegabytes } from './process.ts'
import type { Row } from './report.ts'
import { startWorker, type Worker } from './worker.ts'

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

export const memoryOf = (server: string, { pid }: ReviewServer): Row => ({
  server,
  'RSS at the end MB': residentMegabytes(pid),
  'at most MB': peakResidentMegabytes(pid),
})

type Begin = { begin(certificateFolder: string): Promise<number> }

/** A serving certificate and its key in a folder, for servers on the loopback interface. */
export type Certificates = { readonly folder: string; readonly ca: string }

/** Issues them. */
export const certificatesIn = async (folder: string): Promise<Certificates> => {
  const authority = await newAuthority('bench')
  const { certificate, key } = await authority.serving({ ip: ['127.0.0.1'] })
  writeFileSync(join(folder, 'tls.crt'), certificate)
  writeFileSync(join(folder, 'tls.key'), key)
  return { folder, ca: authority.certificate }
}

/** Starts a program of bench/programs whose command `begin` answers the port of its webhooks. */
export const reviewServer = (program: string, certificates: Certificates): Promise<ReviewServer> =>
  begunReviewServer(startWorker<Begin>(program, nodeFlags(256)), certificates)

/** The server of a program that was started and has not begun. */
export const begunReviewServer = async (
  worker: Pick<Worker<Begin>, 'pid' | 'ask' | 'end'>,
  { folder, ca }: Certificates,
): Promise<ReviewServer> => {
  const port = await worker.ask('begin', folder)
  return serverAt({ pid: worker.pid, port, ca, end: worker.end })
}

/** Starts a program of whatever kind that takes `-port` and the folder of its `-certificates`. */
export const foreignReviewServer = async (program: string, { folder, ca }: Certificates): Promise<ReviewServer> => {
  const [port = 0] = await freePorts(1)
  const args = [`-port=${port}`, `-certificates=${folder}`]
  const { pid, end } = startLifelined({ program, args, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const signal = AbortSignal.timeout(20_000); await isFree(port); signal.throwIfAborted()) await wait(50)
  return serverAt({ pid, port, ca, end: () => end('SIGKILL') })
}

type Started = { readonly pid: number; readonly port: number; readonly ca: string; readonly end: () => Promise<void> }

const serverAt = ({ pid, port, ca, end }: Started): ReviewServer => {
  const lines = linesTo({ port, ca })
  let count = 0
  let before = { count, cpu: cpuSeconds(pid) }
  const call =
    ({ path, text, isAllowed }: Asked): Call =>
    async turn => {
      const uid = `review-${turn}`
      count++
      const answer = await lines.send({ method: 'POST', path, contentType: 'application/json', body: text(uid) })
      const isExpected = answer.includes(`"uid":"${uid}"`) && answer.includes(`"allowed":${isAllowed}`)
      if (!isExpected) throw new Error(answer.slice(0, 1000))
    }
  const cpuMilliseconds = () => {
    const now = { count, cpu: cpuSeconds(pid) }
    const each = ((now.cpu - before.cpu) / (now.count - before.count)) * 1000
    before = now
    return each
  }
  const close = async () => {
    lines.close()
    await end()
  }
  return { pid, call, cpuMilliseconds, close }
}
