// A read that may have failed, as data: it only fails the decisions that need it. shared/kube/reading.ts makes one of a read of an API
// server.
//
//   const etcds: Reading<readonly KubeObject[]> = await reading(reads.list(query)) // in gather.ts
//   whenRead(etcds, faultOfEtcds, checkError) // in decide.ts: a fault of the etcds, or that they could not be read
import { errorText } from '../text/error-text.ts'

export type Reading<T> = { readonly read: T } | { readonly failed: string }

/** Calls `use` with what was read, or `otherwise` with the reason why it could not be read. */
export const whenRead = <T, Result>(
  reading: Reading<T>,
  use: (read: T) => Result,
  otherwise: (failed: string) => Result,
): Result => ('failed' in reading ? otherwise(reading.failed) : use(reading.read))

/** A reading of local code that may throw, such as `attempted(() => new X509Certificate(pem))`. */
export const attempted = <T>(read: () => T): Reading<T> => {
  try {
    return { read: read() }
  } catch (error) {
    return { failed: errorText(error) }
  }
}
