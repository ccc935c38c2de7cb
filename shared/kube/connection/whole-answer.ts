// Sends one request and collects its whole answer, in bounded time and memory. undici's own `request` makes a stream of every
// body, which costs as much time as the rest of a small request; here the pieces are collected until the last one.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { interimAnswers } from '../../core/bounds/interim-answers.ts'
import { Excess } from '../limits.ts'
import { ReceivedBytes, type ReceivingShare } from './received-bytes.ts'
import type { Traffic } from './traffic.ts'

export type WholeAnswer = Head & { readonly bytes: Buffer }

/** The caller releases the body after reading it. */
export type ReceivedAnswer = Head & { readonly body: ReceivedBytes }

type Head = { readonly statusCode: number; readonly headers: IncomingHttpHeaders }

type Asked = Dispatcher.DispatchOptions & {
  readonly signal?: AbortSignal
  readonly bytesMost: number
  /** From now until the last byte. */
  readonly millisecondsMost: number
  readonly share?: ReceivingShare
  readonly traffic?: Traffic
}

/** Rejects as undici does, with Overdue, OutOfRoom or an Excess; with the signal's reason as soon as it is given. */
export const wholeAnswer = (
  from: Dispatcher,
  { signal, bytesMost, millisecondsMost, share, traffic, ...asked }: Asked,
): Promise<ReceivedAnswer> =>
  new Promise((resolve, reject) => {
    const body = new ReceivedBytes({ bytesMost, of: 'the answer', share, traffic, lost: why => giveUp(why) })
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
    // An error that a handler throws ends the connection and comes back as the error of the request.
    from.dispatch(asked, {
      onRequestStart: controller => {
        running = controller
        // The signal was aborted while the request waited for a connection.
        if (reason) controller.abort(reason)
      },
      // An interim answer (1xx) precedes the final one.
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

/** A server sends interim answers (1xx) without end. */
export const tooManyInterim = (message: string): Excess => new Excess('TOO_MANY', message)

/** The answer was not complete in time, though bytes may still have been arriving. */
export class Overdue extends Error {
  override readonly name = 'Overdue'
  readonly code = 'OVERDUE'
}

const alarm = (milliseconds: number, ring: () => void): (() => void) => {
  if (milliseconds === Number.POSITIVE_INFINITY) return () => {}
  const timer = setTimeout(ring, Math.max(0, milliseconds))
  return () => clearTimeout(timer)
}
