// Adds to an error of a rendering where it happened and which kind of fault it is, without quoting any value (fault.ts).
import { type Blame, blameText } from './fault.ts'
import { RenderError } from './generator.ts'

/** Whoever throws in it, and does not know better what is wrong and where, is at fault as said here. */
export const blaming = <Result>({ kind, of, ...place }: Blame, run: () => Result): Result =>
  rewording(run, ({ message, blame, quotesNoValues }) => {
    const at = blame.file === undefined ? place : {}
    const known = blame.kind === 'unrenderable' ? kind : blame.kind
    const subject = of && { of }
    return new RenderError(message, { blame: { ...subject, ...at, ...blame, kind: known }, quotesNoValues })
  })

/** What is done before any value is known: who throws in it quotes the artifact alone. */
export const ofArtifact = <Result>(run: () => Result): Result =>
  rewording(run, ({ message, blame }) => new RenderError(message, { blame, quotesNoValues: true }))

/** Whoever throws in it says no more than what is at fault. */
export const withoutQuotes = <Result>(run: () => Result): Result =>
  rewording(run, ({ blame }) => new RenderError(blameText(blame), { blame }))

/** What is wrong in a text that stands within a file: its lines are none of the file, and its fault is the file's, so neither is told. */
export const withoutPlace = <Result>(run: () => Result): Result =>
  rewording(run, ({ message }) => new RenderError(message))

/** Whoever throws in it says first what it was about, such as an artifact. */
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
