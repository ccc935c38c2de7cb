// Sends one request and collects its whole answer, with limits on time and memory. undici's `request` makes a stream for each body. This
// takes as much time as the rest of a small request.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { interimAnswers } from '../../core/bounds/counts.ts'
import { Excess } from '../limits.ts'
import { ReceivedBytes, type ReceivingShare } from './received-bytes.ts'
import type { Traffic } from './traffic.ts'

export type WholeAnswer = Head & { readonly bytes: Buffer }

/** The caller must release the body. */
export type ReceivedAnswer = Head & { readonly body: ReceivedBytes }

type Head = { readonly statusCode: number; readonly headers: IncomingHttpHeaders }

type Asked = Dispatcher.DispatchOptions & {
  readonly signal?: AbortSignal
  readonly bytesMost: number
  readonly millisecondsMost: number
  readonly share?: ReceivingShare
  readonly traffic?: Traffic
}

/** Rejects with errors of undici, Overdue, OutOfRoom or Excess, and with the signal's reason as soon as it aborts. */
export const wholeAnswer = (
  from: Dispatcher,
  { signal, bytesMost, millisecondsMost, share, traffic, ...asked }: Asked,
): Promise<ReceivedAnswer> =>
  new Promise((resolve, reject) => {
    const body = new ReceivedBytes({ bytesMost, subject: 'the answer', share, traffic, lost: why => giveUp(why) })
    let head: Head = { statusCode: 0, headers: {} }
    const interim = interimAnswers(tooManyInterim)
    let running: Dispatcher.DispatchController | undefined
    let reason: Error | undefined
    const giveUp = (why: Error): void => {
      reason = why
      forget()
      body.release()
      reject(why)
      running?.abort(why)
    }
    const aborted = (): void => giveUp(signal?.reason)
    const callOff = alarm(millisecondsMost, () => giveUp(new Overdue()))
    const forget = (): void => {
      callOff()
      signal?.removeEventListener('abort', aborted)
    }
    if (signal?.aborted) return aborted()
    signal?.addEventListener('abort', aborted)
    // An error thrown by a handler ends the connection and becomes the error of the request.
    from.dispatch(asked, {
      onRequestStart: controller => {
        running = controller
        // The signal aborted while the request waited for a connection.
        if (reason) controller.abort(reason)
      },
      onResponseStart: (_, statusCode, headers) => {
        if (statusCode < 200) interim()
        head = { statusCode, headers }
        if (Number(headers['content-length']) > bytesMost) throw body.excess()
      },
      onResponseData: (_, piece) => body.add(piece),
      onResponseEnd: () => {
        forget()
        resolve({ ...head, body })
      },
      onResponseError: (_, error) => {
        forget()
        body.release()
        reject(error)
      },
    })
  })

export const tooManyInterim = (message: string): Excess => new Excess('TOO_MANY', message)

/** The answer was incomplete at the time limit, even if bytes were still arriving. */
export class Overdue extends Error {
  override readonly name = 'Overdue'
  readonly code = 'OVERDUE'
}

const alarm = (milliseconds: number, ring: () => void): (() => void) => {
  if (milliseconds === Number.POSITIVE_INFINITY) return () => {}
  const timer = setTimeout(ring, Math.max(0, milliseconds))
  return () => clearTimeout(timer)
}
