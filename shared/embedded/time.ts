// The current time in the API server's formats.
import { kubeMicroTime, kubeTime } from '../core/time/kube-time.ts'

export const nowText = (): string => kubeTime(new Date())

export const nowMicroText = (): string => kubeMicroTime(new Date())
