// What garden-care says to people. Types, reasons and messages are API: dashboards, alerts and runbooks read them.

/** The conditions that are ours, in the order in which they are judged and told. */
export type ConditionType =
  | 'VirtualGardenAPIServerAvailable'
  | 'RuntimeComponentsHealthy'
  | 'VirtualComponentsHealthy'
  | 'ObservabilityComponentsHealthy'

/** Why a condition is not True. */
export type HealthFault = { readonly reason: string; readonly message: string; readonly isUnknown?: true }

/** All is well. */
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

/** What the check needs could not be read. */
export const checkError = (message: string): HealthFault => ({
  reason: 'ConditionCheckError',
  message,
  isUnknown: true,
})

/** There is no way to the virtual garden yet, or none any more. */
export const apiServerDown: HealthFault = {
  reason: 'VirtualGardenAPIServerDown',
  message: 'Could not reach virtual garden API server during client initialization.',
}

/** No answer, or none in time. */
export const healthzFailed = (milliseconds: number, error: string): HealthFault => ({
  reason: 'HealthzRequestFailed',
  message: `Request to API server /healthz endpoint failed. [response_time:${Math.round(milliseconds)}ms] (${error})`,
})

/** An answer that is no OK. */
export const healthzRefused = (code: number, body: string): HealthFault => ({
  reason: 'HealthzRequestError',
  message: `API server /healthz endpoint check returned a non ok status code ${code}. (${body})`,
})

/** Two messages that differ in nothing but how long an answer took say the same. */
export const saysTheSame = (one: string, other: string): boolean => untimed(one) === untimed(other)

const untimed = (message: string): string => message.replace(/\[response_time:\d+ms\]/, '')

/** The words in which faults of workloads are told: of Etcds, Deployments, StatefulSets. */
export type Workloads = { readonly prefix: string; readonly plural: string; readonly singular: string }

/** All that are missing, at once. */
export const workloadsMissing = ({ prefix, plural }: Workloads, names: readonly string[]): HealthFault => ({
  reason: `${prefix}Missing`,
  message: `Missing required ${plural}: [${names.join(' ')}]`,
})

/** The first that is not as it should be. */
export const workloadUnhealthy = ({ prefix, singular }: Workloads, name: string, because: string): HealthFault => ({
  reason: `${prefix}Unhealthy`,
  message: `${singular} "${name}" is unhealthy: ${because}`,
})

/** A component that should be there was not deployed. */
export const managedResourceMissing = (place: string): HealthFault => ({
  reason: 'ResourceNotFound',
  message: `managed resource '${place}' not found`,
})

/** What it says of itself is about an older wish. */
export const statusOutdated = (place: string, observed: unknown, generation: unknown): HealthFault => ({
  reason: 'OutdatedStatus',
  message: `observed generation of managed resource '${place}' outdated (${observed}/${generation})`,
})

/** Nothing is known of some of what it must tell. */
export const managedResourceSilent = (name: string, conditions: readonly string[]): HealthFault => ({
  reason: 'MissingManagedResourceCondition',
  message: `ManagedResource ${name} is missing the following condition(s), [${conditions.join(' ')}]`,
})
