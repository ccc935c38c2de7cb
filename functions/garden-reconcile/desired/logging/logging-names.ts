// Names and labels that the parts of logging share.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { role } from '../parts/names.ts'

export const valiService = { name: 'logging', port: 3100 } as const

export const loggingLabels = (app: string) => ({ app, role: 'logging', ...role('logging') })

/** fluent-operator finds the configuration of fluent-bit by these labels. */
export const fluentLabels = { 'fluentbit.gardener/type': 'seed' } as const

export const fluentKind = (kind: string) => ({ apiVersion: 'fluentbit.fluent.io/v1alpha2', kind })

export const fluentPart = (kind: string, name: string, spec: JsonMap): KubeObject => ({
  ...fluentKind(kind),
  metadata: { name, labels: fluentLabels },
  spec,
})
