// How long ago a time was, as kubectl shows it.
import { kubectlDuration } from '../../core/time/kubectl-duration.ts'

export const age = (time: unknown): string => {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? '<unknown>' : kubectlDuration((Date.now() - at) / 1000)
}
