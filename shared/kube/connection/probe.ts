// One question to an API server about its health: asked once on a connection of its own, answered in a bounded time, and
// every answer is a result, also a refusal and silence.
import type { ClusterAccess } from '../clusters/access.ts'
import { AccessError, ConnectionError } from '../errors.ts'
import { lossOf } from './connection-errors.ts'
import { connections } from './connections.ts'
import { beginning } from './first-bytes.ts'

type Probed =
  | { readonly is: 'answered'; readonly milliseconds: number; readonly code: number; readonly body: string }
  | { readonly is: 'silent'; readonly milliseconds: number; readonly error: string }

export type ProbeQuestion = { path: string; seconds: number }

const bodyCharactersMost = 512
/** As many characters at least. */
const bodyBytesMost = 4 * bodyCharactersMost

/** Dials anew, so that the time told is what anybody new would wait. Rejects only for faults of our own. */
export const probe = async (access: ClusterAccess, { path, seconds }: ProbeQuestion): Promise<Probed> => {
  const open = connections(access, { userAgent: 'espalier', connections: 1, answerSeconds: seconds })
  const begun = performance.now()
  const signal = AbortSignal.timeout(seconds * 1_000)
  try {
    const { calls, headers, prefix } = await open.open()
    const answer = await calls.request({ method: 'GET', path: prefix + path, headers, signal })
    const body = (await beginning(answer.body, { bytesMost: bodyBytesMost, milliseconds: seconds * 1_000 }))
      .toString()
      .trim()
      .slice(0, bodyCharactersMost)
    return { is: 'answered', milliseconds: performance.now() - begun, code: answer.statusCode, body }
  } catch (failure) {
    const error = lossOf(failure, { method: 'GET', path }, signal)
    if (!isLoss(error)) throw error
    return { is: 'silent', milliseconds: performance.now() - begun, error: error.message }
  } finally {
    void open.close()
  }
}

const isLoss = (error: unknown): error is ConnectionError | AccessError =>
  error instanceof ConnectionError || error instanceof AccessError
