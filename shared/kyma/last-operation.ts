// What a Kyma or a Manifest is doing, and since when. The time stands still while it says the same.
import { kubeTime } from '../core/time/kube-time.ts'
import type { LastOperation } from './kinds.ts'

type Doing = { readonly lastOperation: Required<LastOperation>; readonly sinceSeconds: number }

/** `before`: as the status has it. */
export const doingSince = (before: LastOperation | undefined, operation: string, now: Date): Doing => {
  const lastUpdateTime = (before?.operation === operation && before.lastUpdateTime) || kubeTime(now)
  const sinceSeconds = Math.max(0, (now.getTime() - Date.parse(lastUpdateTime)) / 1_000)
  return { lastOperation: { operation, lastUpdateTime }, sinceSeconds }
}
