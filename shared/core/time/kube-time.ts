// Times as Kubernetes writes them: UTC, with seconds in objects and microseconds in Leases and Events.
//
//   kubeTime(new Date('2026-01-02T03:04:05.678Z')) // '2026-01-02T03:04:05Z'
//   kubeMicroTime(new Date('2026-01-02T03:04:05.678Z')) // '2026-01-02T03:04:05.678000Z'

/** metav1.Time. */
export const kubeTime = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** metav1.MicroTime. */
export const kubeMicroTime = (time: Date): string => `${time.toISOString().slice(0, 23)}000Z`
