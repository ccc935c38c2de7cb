// The operation of a Kyma or a Manifest, with its start time. The time changes only when the text changes.
import { excerpt } from '../core/text/text.ts'
import { kubeTime } from '../core/time/kube-time.ts'
import type { LastOperation } from './kinds.ts'

type Doing = { readonly lastOperation: Required<LastOperation>; readonly sinceSeconds: number }

/**
 * The length limit for Event messages. The owner of a runtime controls the messages of default objects and Pods, and a status has room for one such
 * message per module.
 */
const charactersMost = 1_024

export const statusText = (text: string): string => excerpt(charactersMost, text)

/** `before`: the last operation in the stored status. */
export const doingSince = (before: LastOperation | undefined, text: string, now: Date): Doing => {
  const operation = statusText(text)
  const lastUpdateTime = (before?.operation === operation && before.lastUpdateTime) || kubeTime(now)
  const sinceSeconds = Math.max(0, (now.getTime() - Date.parse(lastUpdateTime)) / 1_000)
  return { lastOperation: { operation, lastUpdateTime }, sinceSeconds }
}
