// The Secret through which functions reach the virtual garden.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type Credentials, kubeconfig } from '../../harness/clients/kubeconfig.ts'

export const virtualGardenHost = 'virtual-garden-kube-apiserver.garden.svc.cluster.local'

/** `serverName`: what the certificate of the server is checked against, when it is not one for that host. */
export type Way = { caData: string; credentials: Credentials; host?: string; serverName?: string }

export const virtualGardenKubeconfig = (way: Way): string => {
  const text = kubeconfig({ url: `https://${way.host ?? virtualGardenHost}`, caData: way.caData }, way.credentials)
  return way.serverName === undefined
    ? text
    : text.replace('server:', `tls-server-name: ${way.serverName}\n      server:`)
}

export const accessSecret = (kubeconfig?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'garden', name: 'gardener-internal' },
  ...(kubeconfig !== undefined && { data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') } }),
})
