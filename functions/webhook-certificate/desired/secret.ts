// The Secret that holds authority and serving certificate, before there is anything in it.
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export const secretName = 'espalier-webhook-certificate'

export const emptySecret = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: secretName, labels: { 'app.kubernetes.io/part-of': 'espalier' } },
  type: 'kubernetes.io/tls',
  // API servers demand both keys, and an authority may be stored before it signs.
  data: { 'tls.crt': '', 'tls.key': '' },
})
