// Combines pure checks into a chain that returns the first fault. Later checks may rely on earlier ones: here, the second check runs only
// if the Secret exists. A chain is a check itself.

/** Returns a fault, such as a sentence; undefined or false when there is none. */
export type Check<About extends readonly unknown[], Fault> = (...about: About) => Fault | false | undefined

/**
 * Returns the fault of the first check that finds a fault. Later checks are not run.
 *
 *   const fault = checks(
 *     (object: KubeObject) => object.metadata.namespace === 'kube-system' && 'kube-system is not ours',
 *     object => object.spec === undefined && 'there is no spec',
 *   )
 *   fault(secret) // 'there is no spec'
 */
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
