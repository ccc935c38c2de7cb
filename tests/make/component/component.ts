// Components as people write them, valid unless told otherwise.
import type { ComponentFields, ComponentSpec } from '../../../shared/api/component.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export const componentKind = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' } as const

/** A ConfigMap without a namespace of its own. */
export const configMap = (name: string, data: Record<string, string> = { key: 'value' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

export type MadeComponent = KubeObject & ComponentFields

/** `spec` is laid over one with a single ConfigMap as its manifests. */
export const component = (
  metadata: { name: string; namespace: string; annotations?: Record<string, string> },
  spec: Partial<ComponentSpec> = {},
): MadeComponent => ({
  ...componentKind,
  metadata,
  spec: { source: { manifests: [configMap(metadata.name)] }, ...spec },
})

/** A chart of one ConfigMap, whose data are its values. */
export const chartFiles: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
  'values.yaml': 'greeting: hello\n',
  'templates/config-map.yaml': [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    '  name: {{ .Release.Name }}',
    'data:',
    '  greeting: {{ .Values.greeting | quote }}',
    '  values: {{ .Values | toJson | quote }}',
    '',
  ].join('\n'),
}
