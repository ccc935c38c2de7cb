// A read that may have failed, as data: it takes only those decisions along that need it. What reads an API server is
// shared/kube/reading.ts.
//
//   const etcds: Reading<readonly KubeObject[]> = await reading(reads.list(query)) // in gather.ts
//   whenRead(etcds, faultOfEtcds, checkError) // in decide.ts: a fault of the etcds, or that they could not be read
import { errorText } from './error-text.ts'

/** What was read, or why it was not. */
export type Reading<T> = { readonly read: T } | { readonly failed: string }

/** What follows from a read: of what was read, or of why it was not. */
export const whenRead = <T, Result>(
  reading: Reading<T>,
  use: (read: T) => Result,
  otherwise: (failed: string) => Result,
): Result => ('failed' in reading ? otherwise(reading.failed) : use(reading.read))

/** A read that needs nobody outside, such as the parsing of a text: `attempted(() => new X509Certificate(pem))`. */
export const attempted = <T>(read: () => T): Reading<T> => {
  try {
    return { read: read() }
  } catch (error) {
    return { failed: errorText(error) }
  }
}
