// A read that may have failed, as data. A failed read only affects the decisions that need it. shared/kube/reading.ts turns reads of an API
// server into readings. Also functions that replace an error of one class, and let other errors pass.
//
//   const etcds: Reading<readonly KubeObject[]> = await reading(reads.list(query)) // in gather.ts
//   whenRead(etcds, faultOfEtcds, checkError) // in decide.ts: a fault of the etcds, or the error of the read
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

/**
 * The result of `read`. An error of this kind becomes another result; other errors pass.
 *
 *   recovered(SyntaxError, () => JSON.parse(text), () => undefined)
 */
export const recovered = <Result, Fault extends Error, Other>(
  kind: abstract new (...args: never) => Fault,
  read: () => Result,
  instead: (fault: Fault) => Other,
): Result | Other => {
  try {
    return read()
  } catch (error) {
    if (error instanceof kind) return instead(error)
    throw error
  }
}

/** Like `recovered`, but throws another error: `rethrown(YamlError, () => readYaml(text), ({ line }) => new RenderError(…))`. */
export const rethrown = <Result, Fault extends Error>(
  kind: abstract new (...args: never) => Fault,
  read: () => Result,
  other: (fault: Fault) => Error,
): Result =>
  recovered(kind, read, fault => {
    throw other(fault)
  })
