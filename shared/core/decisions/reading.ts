// A read that may have failed, as data. A failed read only affects the decisions that need it. shared/kube/reading.ts turns reads of an API
// server into readings.
//
//   const etcds: Reading<readonly KubeObject[]> = await reading(reads.list(query)) // in gather.ts
// whenRead(etcds, faultOfEtcds, checkError) // in decide.ts: a fault of the etcds, or the error of the read
import { errorText } from '../text/error-text.ts'

export type Reading<T> = { readonly read: T } | { readonly failed: string }

export const whenRead = <T, Result>(
  reading: Reading<T>,
  use: (read: T) => Result,
  otherwise: (failed: string) => Result,
): Result => ('failed' in reading ? otherwise(reading.failed) : use(reading.read))

/** Turns a thrown error into a failed reading. Example: `attempted(() => new X509Certificate(pem))`. */
export const attempted = <T>(read: () => T): Reading<T> => {
  try {
    return { read: read() }
  } catch (error) {
    return { failed: errorText(error) }
  }
}
