// The Components of the benchmark: all of one chart, which makes as many ConfigMaps of some 500 bytes as it is told.
import type { KubeObject } from '../../shared/core/object.ts'
import { filling, namespace } from '../measure/config-maps.ts'

export const apiVersion = 'core.espalier.dev/v1alpha1'

export const components = `/apis/${apiVersion}/namespaces/${namespace}/components`

const template = `{{- range $n := until (int .Values.dependents) }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ printf "%s-%05d" $.Release.Name $n }}
  labels: { app.kubernetes.io/part-of: bench }
data:
  round: {{ $.Values.round | quote }}
  filling: ${filling}
{{- end }}
`

/** A file per key; `__` stands for a slash. */
export const chart: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'bench-chart', namespace },
  data: {
    'Chart.yaml': 'apiVersion: v2\nname: bench\nversion: 1.0.0\n',
    'templates__dependents.yaml': template,
  },
}

/** Events are left apart, as the goal does: its dependents have none. */
export const component = (name: string, dependents: number): KubeObject => ({
  apiVersion,
  kind: 'Component',
  metadata: { name, namespace, annotations: { 'component.core.espalier.dev/disable-events': 'true' } },
  spec: { source: { helm: { configMapRef: { name: 'bench-chart' } } }, values: { dependents, round: '0' } },
})

/** A merge patch after which every dependent is another one. */
export const nextRound = (round: number) => ({ spec: { values: { round: String(round) } } })
