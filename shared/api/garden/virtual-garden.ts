// How functions reach the virtual garden from the runtime cluster: garden-reconcile makes this Secret, and it and garden-care use it.
import { gardenNamespace as namespace } from '../garden.ts'

/** Its key `kubeconfig` is that of Gardener's own parts. */
export const virtualGardenAccess = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'gardener-internal' } as const

/** The only host that this kubeconfig may lead to. */
export const virtualGardenHost = `virtual-garden-kube-apiserver.${namespace}.svc.cluster.local`
