// The access of functions to the virtual garden from the runtime cluster. garden-reconcile writes this Secret; garden-reconcile and
// garden-care read it.
import { gardenNamespace as namespace } from '../garden.ts'

/** The key `kubeconfig` contains the kubeconfig of Gardener's own programs. */
export const virtualGardenAccess = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'gardener-internal' } as const

/** The only allowed host of this kubeconfig. */
export const virtualGardenHost = `virtual-garden-kube-apiserver.${namespace}.svc.cluster.local`
