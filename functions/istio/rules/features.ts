// The switches in ConfigMap kyma-system/istio-features. They apply to the Istio whatever its name is, and without an edit of its spec.
import { attempted } from '../../../shared/core/decisions/reading.ts'
import { own } from '../../../shared/core/json/fields.ts'
import { isMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export type Features = {
  readonly isCniDisabled: boolean
  /** VerticalPodAutoscalers scale the control plane's memory, so HorizontalPodAutoscalers must not scale by memory. */
  readonly hasControlPlaneVpa: boolean
  /** Why the ConfigMap cannot be read, so that all switches are off. */
  readonly fault?: string
}

/** All switches are off without the ConfigMap, or if its content is broken. */
export const featuresOf = (configMap: KubeObject | undefined): Features => {
  const text = own(mapOrEmpty(configMap?.data), 'features')
  if (typeof text !== 'string') return allOff
  const reading = attempted<unknown>(() => JSON.parse(text))
  if ('failed' in reading) return { ...allOff, fault: `it is no JSON: ${reading.failed}` }
  if (reading.read === null) return allOff
  if (!isMap(reading.read)) return { ...allOff, fault: 'it is no JSON object' }
  const { disableCni = false, enableControlPlaneVPA = false } = reading.read
  const wrong = Object.entries({ disableCni, enableControlPlaneVPA }).find(([, value]) => typeof value !== 'boolean')
  if (wrong) return { ...allOff, fault: `${wrong[0]} is neither true nor false` }
  return { isCniDisabled: disableCni === true, hasControlPlaneVpa: enableControlPlaneVPA === true }
}

const allOff: Features = { isCniDisabled: false, hasControlPlaneVpa: false }
