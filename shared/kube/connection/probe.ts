// Sends one health request to an API server, on a new connection, with a time limit. Any outcome is a result: an answer, a refused
// connection, or silence.
import type { ClusterAccess } from '../clusters/access.ts'
import { AccessError, ConnectionError } from '../errors.ts'
import { connectionErrorOf } from './connection-errors.ts'
import { connections } from './connections.ts'
import { firstBytes } from './first-bytes.ts'

type Probed =
  | { readonly is: 'answered'; readonly milliseconds: number; readonly code: number; readonly body: string }
  | { readonly is: 'silent'; readonly milliseconds: number; readonly error: string }

type ProbeQuestion = { path: string; seconds: number }

const bodyCharactersMost = 512
/** UTF-8 needs at most four bytes per character. */
const bodyBytesMost = 4 * bodyCharactersMost

/** Uses a new connection, so that the measured time equals the time that a new client would wait. Rejects only for programming errors. */
export const probe = async (access: ClusterAccess, { path, seconds }: ProbeQuestion): Promise<Probed> => {
  const open = connections(access, { userAgent: 'espalier', connections: 1, answerSeconds: seconds })
  const begun = performance.now()
  const signal = AbortSignal.timeout(seconds * 1_000)
  try {
    const { calls, headers, origin, prefix } = await open.open()
    const answer = await calls.request({ origin, method: 'GET', path: prefix + path, headers, signal })
    const body = (await firstBytes(answer.body, { bytesMost: bodyBytesMost, milliseconds: seconds * 1_000 }))
      .toString()
      .trim()
      .slice(0, bodyCharactersMost)
    return { is: 'answered', milliseconds: performance.now() - begun, code: answer.statusCode, body }
  } catch (failure) {
    const error = connectionErrorOf(failure, { method: 'GET', path }, signal)
    if (!isLoss(error)) throw error
    return { is: 'silent', milliseconds: performance.now() - begun, error: error.message }
  } finally {
    void open.close()
  }
}

const isLoss = (error: unknown): error is ConnectionError | AccessError =>
  error instanceof ConnectionError || error instanceof AccessError
