// Faults of serverless.yml: a place, the value found, and the allowed values.
import { valueText } from '../../core/text/text.ts'

export type LandscapeRefusal = {
  /** For example `functions.istio.events[0].watch.kind`. */
  readonly path: string
  readonly found: string
  readonly allowed: string
}

/** `judge` returns the value found and what is allowed. `field`: below the path of the one that is judged; '' for itself. */
export const refusalsOf = <One extends { readonly path: string }>(
  all: readonly One[],
  field: string,
  judge: (one: One) => readonly [found: unknown, allowed: string] | false,
): LandscapeRefusal[] =>
  all.flatMap(one => {
    const [found, allowed] = judge(one) || []
    const path = [one.path, field].filter(Boolean).join('.')
    return allowed === undefined ? [] : [{ path, found: valueText(found), allowed }]
  })

/** Contains all faults at once, so that a person can fix them together. */
export class LandscapeRefused extends Error {
  readonly refusals: readonly LandscapeRefusal[]

  constructor(file: string, refusals: readonly LandscapeRefusal[]) {
    super([`${file} is refused:`, ...refusals.map(refusal => `  ${refusalText(refusal)}`)].join('\n'))
    this.name = 'LandscapeRefused'
    this.refusals = refusals
  }
}

const refusalText = (refusal: LandscapeRefusal): string =>
  `${refusal.path}: found ${refusal.found}; allowed: ${refusal.allowed}`
