// Faults of serverless.yml: a place, the value found, and the allowed values.

export type LandscapeRefusal = {
  /** For example `functions.istio.events[0].watch.kind`. */
  readonly path: string
  readonly found: string
  readonly allowed: string
}

/** Contains all faults, so that a user can fix them together. */
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
