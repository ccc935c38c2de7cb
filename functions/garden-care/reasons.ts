// The conditions, reasons and messages of garden-care. They are API: dashboards, alerts and runbooks read them.

/** Our conditions, in their order in the status. */
export type ConditionType =
  | 'VirtualGardenAPIServerAvailable'
  | 'RuntimeComponentsHealthy'
  | 'VirtualComponentsHealthy'
  | 'ObservabilityComponentsHealthy'

/** Why a condition is not True. */
export type HealthFault = { readonly reason: string; readonly message: string; readonly isUnknown?: true }

/** Reasons and messages for conditions that are True. */
export const healthy: Readonly<Record<ConditionType, { reason: string; message: string }>> = {
  VirtualGardenAPIServerAvailable: {
    reason: 'HealthzRequestSucceeded',
    message: 'API server /healthz endpoint responded with success status code.',
  },
  RuntimeComponentsHealthy: {
    reason: 'RuntimeComponentsRunning',
    message: 'All runtime components are healthy.',
  },
  VirtualComponentsHealthy: {
    reason: 'VirtualComponentsRunning',
    message: 'All virtual garden components are healthy.',
  },
  ObservabilityComponentsHealthy: {
    reason: 'ObservabilityComponentsRunning',
    message: 'All observability components are healthy.',
  },
}

/** The check could not be made, because a read failed. */
export const checkError = (message: string): HealthFault => ({
  reason: 'ConditionCheckError',
  message,
  isUnknown: true,
})

/** The Secret has no usable kubeconfig of the virtual garden. */
export const apiServerDown: HealthFault = {
  reason: 'VirtualGardenAPIServerDown',
  message: 'Could not reach virtual garden API server during client initialization.',
}

/** The API server did not answer `/healthz`, or not in time. */
export const healthzFailed = (milliseconds: number, error: string): HealthFault => ({
  reason: 'HealthzRequestFailed',
  message: `Request to API server /healthz endpoint failed. [response_time:${Math.round(milliseconds)}ms] (${error})`,
})

/** The API server answered `/healthz` with a code other than 200. */
export const healthzRefused = (code: number, body: string): HealthFault => ({
  reason: 'HealthzRequestError',
  message: `API server /healthz endpoint check returned a non ok status code ${code}. (${body})`,
})

/** Whether two messages differ only in the response time. */
export const saysTheSame = (one: string, other: string): boolean => untimed(one) === untimed(other)

const untimed = (message: string): string => message.replace(/\[response_time:\d+ms\]/, '')

/** The words for Etcds, Deployments and StatefulSets in messages. */
export type Workloads = { readonly prefix: string; readonly plural: string; readonly singular: string }

/** Names all missing objects. */
export const workloadsMissing = ({ prefix, plural }: Workloads, names: readonly string[]): HealthFault => ({
  reason: `${prefix}Missing`,
  message: `Missing required ${plural}: [${names.join(' ')}]`,
})

/** Names the first object that is not healthy. */
export const workloadUnhealthy = ({ prefix, singular }: Workloads, name: string, because: string): HealthFault => ({
  reason: `${prefix}Unhealthy`,
  message: `${singular} "${name}" is unhealthy: ${because}`,
})

/** The ManagedResource of a component does not exist. */
export const managedResourceMissing = (place: string): HealthFault => ({
  reason: 'ResourceNotFound',
  message: `managed resource '${place}' not found`,
})

/** The status of the ManagedResource is for an older generation. */
export const statusOutdated = (place: string, observed: unknown, generation: unknown): HealthFault => ({
  reason: 'OutdatedStatus',
  message: `observed generation of managed resource '${place}' outdated (${observed}/${generation})`,
})

/** The ManagedResource lacks required conditions. */
export const managedResourceSilent = (name: string, conditions: readonly string[]): HealthFault => ({
  reason: 'MissingManagedResourceCondition',
  message: `ManagedResource ${name} is missing the following condition(s), [${conditions.join(' ')}]`,
})
