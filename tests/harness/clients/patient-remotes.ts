// Options for clients of remote clusters in tests in which a single call must succeed. The usual limits are 8 s until an answer and 20 s for all of
// it, but a busy machine may stand still for that long.
import type { ClientOptions } from '../../../shared/kube/client-types.ts'
import { remoteLimits } from '../../../shared/kube/limits.ts'

const seconds = 120

export const patientRemotes = {
  readSeconds: seconds,
  limits: { ...remoteLimits, readSeconds: seconds, writeSeconds: seconds },
} satisfies ClientOptions
