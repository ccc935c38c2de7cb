// Common schemas of Kyma's kinds: names, versions, references, conditions, states.
import { about, embeddedObject, int64, listMap, object, oneOf, options, type Schema, text, time } from '../schema.ts'

export const channelName: Schema<string> = { ...text, pattern: '^[a-z]+$', minLength: 3, maxLength: 32 }

/** A semantic version, or ''. */
export const optionalVersion: Schema<string> = {
  ...text,
  pattern: '^((0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[a-zA-Z-][0-9a-zA-Z-]*)?)?$',
  maxLength: 32,
}

/** A full semantic version. */
export const mandatoryVersion: Schema<string> = {
  ...text,
  pattern:
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  minLength: 1,
}

export const moduleNameText: Schema<string> = { ...text, pattern: '^([a-z]{3,}(-[a-z]{3,})*)?$', maxLength: 64 }

/** For example `kyma-project.io/module/telemetry`. */
export const ocmComponentNameText: Schema<string> = {
  ...text,
  pattern: '^[a-z][-a-z0-9]*([.][a-z][-a-z0-9]*)*[.][a-z]{2,}(/[a-z][-a-z0-9_]*([.][a-z][-a-z0-9_]*)*)+$',
  maxLength: 255,
}

export const moduleState = oneOf('Processing', 'Deleting', 'Ready', 'Error', '', 'Warning', 'Unmanaged')

export const customResourcePolicy: Schema<'CreateAndDelete' | 'Ignore'> = {
  ...oneOf('CreateAndDelete', 'Ignore'),
  default: 'CreateAndDelete',
}

export const trackedObject = options({
  apiVersion: text,
  kind: text,
  metadata: options({ name: text, namespace: text, generation: int64 }),
})

export const lastOperation = object({ operation: text }, { lastUpdateTime: time })

/** metav1.Condition. */
export const kubernetesCondition = object(
  {
    lastTransitionTime: time,
    message: { ...text, maxLength: 32_768 },
    reason: {
      ...text,
      minLength: 1,
      maxLength: 1_024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    },
    status: oneOf('True', 'False', 'Unknown'),
    type: {
      ...text,
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    },
  },
  { observedGeneration: { ...int64, minimum: 0 } },
)

export const kubernetesConditions = listMap(kubernetesCondition, 'type')

export const namedKind = object({ group: text, version: text, kind: text, name: text }, { namespace: text })

/** The object that configures a module. It is created once in the runtime. */
export const defaultCustomResource = about('The default object of the module.', embeddedObject)
