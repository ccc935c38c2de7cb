// Why a serverless.yml is not accepted: a place in the file, what is there, and what may be there.

export type LandscapeRefusal = {
  /** Place in the file, e.g. `functions.istio.events[0].watch.kind`. */
  readonly path: string
  readonly found: string
  readonly allowed: string
}

/** Thrown at start with all faults at once, so that a person can fix them at once. */
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
