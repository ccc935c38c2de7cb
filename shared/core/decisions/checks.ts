// Combines pure checks into a chain that returns the first fault. Later checks may rely on earlier ones: here, the second check runs only
// if the Secret exists. A chain is a check itself.
//
//   const secretFault = checks(
//     (secret: KubeObject | undefined) => !secret && 'does not exist',
//     secret => secret?.data === undefined && 'is empty',
//     keyMissing('tls.crt'),
//   )
//   secretFault(undefined) // 'does not exist'

/** Returns a fault, such as a sentence; undefined or false when there is none. */
export type Check<About extends readonly unknown[], Fault> = (...about: About) => Fault | false | undefined

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
