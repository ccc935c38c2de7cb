// What a Kyma or a Manifest is doing, and since when. The time stands still while it says the same.
import { excerpt } from '../core/text/text.ts'
import { kubeTime } from '../core/time/kube-time.ts'
import type { LastOperation } from './kinds.ts'

type Doing = { readonly lastOperation: Required<LastOperation>; readonly sinceSeconds: number }

/** As of Events. Whoever owns a runtime writes what a default object or a Pod says, and a status holds one such text for each module. */
const charactersMost = 1_024

export const statusText = (text: string): string => excerpt(charactersMost, text)

/** `before`: as the status has it. */
export const doingSince = (before: LastOperation | undefined, text: string, now: Date): Doing => {
  const operation = statusText(text)
  const lastUpdateTime = (before?.operation === operation && before.lastUpdateTime) || kubeTime(now)
  const sinceSeconds = Math.max(0, (now.getTime() - Date.parse(lastUpdateTime)) / 1_000)
  return { lastOperation: { operation, lastUpdateTime }, sinceSeconds }
}
