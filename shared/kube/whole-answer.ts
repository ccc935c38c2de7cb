// One request whose answer is wanted as a whole. undici's own `request` makes a stream of every body, which takes as much time
// as all else of a small request; here the pieces are kept until the last one has come.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

export type WholeAnswer = Head & { readonly text: string }

type Head = { readonly statusCode: number; readonly headers: IncomingHttpHeaders }

export type Asked = Dispatcher.DispatchOptions & { readonly signal?: AbortSignal }

/** Rejects as undici does; with the signal's reason as soon as it is given. */
export const wholeAnswer = (from: Dispatcher, { signal, ...asked }: Asked): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let head: Head = { statusCode: 0, headers: {} }
    let running: Dispatcher.DispatchController | undefined
    const giveUp = (): void => {
      reject(signal?.reason)
      running?.abort(signal?.reason)
    }
    const forget = (): void => signal?.removeEventListener('abort', giveUp)
    signal?.throwIfAborted()
    signal?.addEventListener('abort', giveUp)
    from.dispatch(asked, {
      onRequestStart: controller => {
        running = controller
        // It has waited for a connection meanwhile.
        if (signal?.aborted) giveUp()
      },
      // An interim answer (1xx) comes before the one that counts.
      onResponseStart: (_, statusCode, headers) => {
        head = { statusCode, headers }
      },
      onResponseData: (_, piece) => {
        pieces.push(piece)
      },
      onResponseEnd: () => {
        forget()
        resolve({ ...head, text: textOf(pieces) })
      },
      onResponseError: (_, error) => {
        forget()
        reject(error)
      },
    })
  })

const textOf = (pieces: readonly Buffer[]): string => {
  const [first] = pieces
  return first && pieces.length === 1 ? first.toString() : Buffer.concat(pieces).toString()
}
