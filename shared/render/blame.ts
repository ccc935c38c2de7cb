// Adds the place and the kind of fault to errors of a rendering. A blame quotes no values: the kind is from a list, the file is a file of the
// artifact, the function is an existing function.
import { type Blame, RenderError } from './generator.ts'

/** Adds the blame to an error of `run`. Fields that the error's own blame already has stay unchanged. */
export const blaming = <Result>({ kind, rendered, ...place }: Blame, run: () => Result): Result =>
  rewording(run, ({ message, blame, quotesNoValues }) => {
    const at = blame.file === undefined ? place : {}
    const known = blame.kind === 'unrenderable' ? kind : blame.kind
    const subject = rendered && { rendered }
    return new RenderError(message, { blame: { ...subject, ...at, ...blame, kind: known }, quotesNoValues })
  })

/** For work on the artifact without values. Errors of this work quote no values, so users can see the messages. */
export const ofArtifact = <Result>(run: () => Result): Result =>
  rewording(run, ({ message, blame }) => new RenderError(message, { blame, quotesNoValues: true }))

/** Removes file and line from errors, because the text is only a part of a file and has other line numbers. */
export const withoutPlace = <Result>(run: () => Result): Result =>
  rewording(run, ({ message }) => new RenderError(message))

/** Puts a name, for example `ConfigMap shop-chart`, before the message of an error. */
export const naming = <Result>(what: string, run: () => Result): Result =>
  rewording(
    run,
    ({ message, blame, quotesNoValues }) => new RenderError(`${what}: ${message}`, { blame, quotesNoValues }),
  )

const rewording = <Result>(run: () => Result, reworded: (error: RenderError) => RenderError): Result => {
  try {
    return run()
  } catch (error) {
    throw error instanceof RenderError ? reworded(error) : error
  }
}

export const lineBreaks = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
