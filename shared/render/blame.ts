// Adds to an error of a rendering where it happened and which kind of fault it is. A blame quotes no value: the kind is
// one of a list, the file is one of the artifact, the function is one that exists.
import { type Blame, RenderError } from './generator.ts'

/** Errors of `run` that have no blame yet get this one; those that have one keep it. */
export const blaming = <Result>({ kind, rendered, ...place }: Blame, run: () => Result): Result =>
  rewording(run, ({ message, blame, quotesNoValues }) => {
    const at = blame.file === undefined ? place : {}
    const known = blame.kind === 'unrenderable' ? kind : blame.kind
    const subject = rendered && { rendered }
    return new RenderError(message, { blame: { ...subject, ...at, ...blame, kind: known }, quotesNoValues })
  })

/** For work done before any value is known: its errors can quote the artifact alone. */
export const ofArtifact = <Result>(run: () => Result): Result =>
  rewording(run, ({ message, blame }) => new RenderError(message, { blame, quotesNoValues: true }))

/** For a text inside a file: its line numbers are not the file's, so both line and file are left out. */
export const withoutPlace = <Result>(run: () => Result): Result =>
  rewording(run, ({ message }) => new RenderError(message))

/** Puts the name of what is rendered, such as an artifact, before the message of an error. */
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
