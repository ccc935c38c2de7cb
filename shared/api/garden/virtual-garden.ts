// The access of functions to the virtual garden from the runtime cluster. garden-reconcile makes this Secret, and uses it as garden-care
// does.
import { gardenNamespace as namespace } from '../garden.ts'

/** The key `kubeconfig` contains the kubeconfig of Gardener's own parts. */
export const virtualGardenAccess = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'gardener-internal' } as const

/** The only allowed host of this kubeconfig. */
export const virtualGardenHost = `virtual-garden-kube-apiserver.${namespace}.svc.cluster.local`
