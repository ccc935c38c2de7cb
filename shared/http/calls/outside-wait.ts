// Measures how long a call waits for registries and remote clusters. A waiting call needs almost no resources of the host, so the relay may
// start another call instead.
import type { Outside } from '../../kube/client-types.ts'

/** A wait up to this time is normal for a healthy registry. */
const longMilliseconds = 50

/** Calls `tell` once, when the waits of the call exceed 50 ms in total. */
export const outsideWait = (tell: () => void): Outside => {
  let left = longMilliseconds
  let waits = 0
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const isLong = (): void => {
    left = 0
    tell()
  }
  return async answer => {
    if (waits++ === 0 && left > 0) {
      since = performance.now()
      timer = setTimeout(isLong, left)
    }
    try {
      return await answer
    } finally {
      if (--waits === 0 && left > 0) {
        clearTimeout(timer)
        left = Math.max(1, left - (performance.now() - since))
      }
    }
  }
}
