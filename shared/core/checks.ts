// An ordered chain of pure checks of which the first fault is told: later checks may take for granted what earlier ones found
// to be right. A chain is a check itself, so chains are made of chains.
//
//   const secretFault = checks(
//     (secret: KubeObject | undefined) => !secret && 'does not exist',
//     secret => secret?.data === undefined && 'is empty',
//     keyMissing('tls.crt'),
//   )
//   secretFault(undefined) // 'does not exist'

/** Its fault, a sentence or whatever else tells it; undefined or false where all is well. */
export type Check<About extends readonly unknown[], Fault> = (...about: About) => Fault | false | undefined

/** The fault of the first check that has one. Those behind it are not asked. */
export const checks =
  <About extends readonly unknown[], Fault>(
    ...chain: readonly Check<About, Fault>[]
  ): ((...about: About) => Fault | undefined) =>
  (...about) => {
    for (const check of chain) {
      const fault = check(...about)
      if (fault !== undefined && fault !== false) return fault
    }
    return undefined
  }
