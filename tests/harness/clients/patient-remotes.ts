// For clients of remote clusters in tests where a single call must succeed: usually an answer may take 8 s, and 20 s as a whole, for
// which a machine may stand still.
import type { ClientOptions } from '../../../shared/kube/client-types.ts'
import { remoteLimits } from '../../../shared/kube/limits.ts'

const seconds = 120

export const patientRemotes = {
  readSeconds: seconds,
  limits: { ...remoteLimits, readSeconds: seconds, writeSeconds: seconds },
} satisfies ClientOptions
