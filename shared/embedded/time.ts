// The clock as the API server writes it.
import { kubeMicroTime, kubeTime } from '../core/time/kube-time.ts'

/** metav1.Time. */
export const nowText = (): string => kubeTime(new Date())

/** metav1.MicroTime. */
export const nowMicroText = (): string => kubeMicroTime(new Date())
