// The Secret for CA and serving certificate, before it has any content.
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export const secretName = 'espalier-webhook-certificate'

export const emptySecret = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: secretName, labels: { 'app.kubernetes.io/part-of': 'espalier' } },
  type: 'kubernetes.io/tls',
  // API servers require both keys, and a CA may be stored before it signs.
  data: { 'tls.crt': '', 'tls.key': '' },
})
