// The Components of the benchmark: all of one chart, which makes as many ConfigMaps of some 500 bytes as it is told.
import type { Key, KubeObject } from '../../shared/core/objects/object.ts'
import type { BareApi } from '../measure/bare-api.ts'
import { filling, namespace } from '../measure/config-maps.ts'

export const apiVersion = 'core.espalier.dev/v1alpha1'

/** Those of all namespaces. */
export const components = `/apis/${apiVersion}/components`

export const componentsIn = (place: string): string => `/apis/${apiVersion}/namespaces/${place}/components`

/** So many live in one namespace. */
const neighbours = 100

/** The first of them in the namespace of the benchmark, the others in more like it. */
export const keysOf = (prefix: string, count: number): Key[] =>
  Array.from({ length: count }, (_, n) => {
    const place = Math.floor(n / neighbours)
    return { namespace: place === 0 ? namespace : `${namespace}-${place}`, name: `${prefix}-${n}` }
  })

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

export const chartName = 'bench-chart'

/** A file per key; `__` stands for a slash. */
export const chartIn = (place: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: chartName, namespace: place },
  data: {
    'Chart.yaml': 'apiVersion: v2\nname: bench\nversion: 1.0.0\n',
    'templates__dependents.yaml': template,
  },
})

/**
 * Events are left apart, as the goal does: its dependents have none. It is looked at again in a day: while thousands come back
 * every ten minutes there is no moment of rest to measure at.
 */
export const component = (key: Key, dependents: number): KubeObject => ({
  apiVersion,
  kind: 'Component',
  metadata: { ...key, annotations: { 'component.core.espalier.dev/disable-events': 'true' } },
  spec: {
    source: { helm: { configMapRef: { name: chartName } } },
    values: { dependents, round: '0' },
    requeueInterval: '24h',
  },
})

/** A merge patch after which every dependent is another one. */
export const nextRound = (round: number) => ({ spec: { values: { round: String(round) } } })

/** The namespaces they live in, each with its chart. */
export const furnish = async (api: BareApi, keys: readonly Key[]): Promise<void> => {
  for (const place of new Set(keys.map(key => key.namespace))) {
    const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } }
    await applied(api, `/api/v1/namespaces/${place}`, home)
    await applied(api, `/api/v1/namespaces/${place}/configmaps/${chartName}`, chartIn(place))
  }
}

export const applied = (api: BareApi, path: string, body: object) =>
  api.call('PATCH', `${path}?fieldManager=bench&force=true`, { body, contentType: 'application/apply-patch+yaml' })
