// Whether a Watcher can be served. In each runtime, a Watcher is one entry of a ValidatingWebhookConfiguration. An API server refuses all entries
// because of one invalid entry: a manager `My_Manager` would also stop all other Watchers. So a Watcher with a fault gets no entry, and its events
// are not received.
import { kymaNames } from '../api/kyma/names.ts'
import { checks } from '../core/decisions/checks.ts'
import { isLabelKey, isLabelValue, isSubdomain, longestSubdomain } from '../core/objects/dns-name.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { Watcher } from './kinds.ts'

/** The name of the Watcher's entry in the configuration of a runtime. */
export const watcherEntryName = ({ metadata }: Watcher): string =>
  `${metadata.namespace}.${metadata.name}.operator.kyma-project.io`

/** The fault of the Watcher itself. undefined: no fault. */
export const watcherFault = checks<[Watcher], string>(
  ({ spec }: KubeObject) => spec === undefined && 'spec is missing',
  watcher =>
    watcherManager(watcher) === '' &&
    'neither spec.manager nor the label operator.kyma-project.io/managed-by names a manager',
  watcher =>
    !isSubdomain(watcherManager(watcher)) &&
    `the manager ${JSON.stringify(watcherManager(watcher))} cannot be part of a URL path: it is not a lowercase RFC 1123 subdomain`,
  watcher =>
    watcherEntryName(watcher).length > longestSubdomain &&
    `the name is too long: ${watcherEntryName(watcher)} has more than ${longestSubdomain} characters`,
  ({ spec }) => spec.resourceToWatch.version === '' && 'spec.resourceToWatch.version is empty',
  ({ spec }) => spec.resourceToWatch.resource === '' && 'spec.resourceToWatch.resource is empty',
  ({ spec }) => labelFault(Object.entries(spec.labelsToWatch ?? {})),
)

const labelFault = (labels: readonly (readonly [key: string, value: string])[]): string | undefined => {
  const [wrong] = labels.filter(([key, value]) => !isLabelKey(key) || !isLabelValue(value))
  return wrong && `spec.labelsToWatch: ${JSON.stringify(wrong.join('='))} is not a label`
}

/** The name of the manager. Empty if the Watcher names no manager. */
export const watcherManager = ({ spec, metadata }: Watcher): string =>
  spec.manager || (metadata.labels?.[kymaNames.labels.managedBy] ?? '')
