// The objects that benchmarks make and read: ConfigMaps with some 500 bytes of data.
import type { KubeObject } from '../../shared/core/objects/object.ts'

export const namespace = 'bench'

export const collection = `/api/v1/namespaces/${namespace}/configmaps`

export const filling = 'x'.repeat(480)

/** `round` stands in its data: another round is another content. */
export const configMap = (name: string, round = 0): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { 'app.kubernetes.io/part-of': 'bench' } },
  data: { round: String(round), filling },
})

/** `some-00042`. */
export const nameOf = (prefix: string, number: number): string => `${prefix}-${String(number).padStart(5, '0')}`
