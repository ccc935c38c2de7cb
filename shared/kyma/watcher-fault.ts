// Whether a Watcher can be served. In each runtime it is one entry of a ValidatingWebhookConfiguration, and an API server refuses all
// entries when one of them is wrong: a manager `My_Manager` would keep every other Watcher from working too. So a Watcher with a fault gets
// no entry anywhere, and nobody listens under its name.

import { kymaNames } from '../api/kyma/names.ts'
import { checks } from '../core/decisions/checks.ts'
import { isSubdomain, longestSubdomain } from '../core/objects/dns-name.ts'
import { isLabelKey, isLabelValue } from '../core/objects/label.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { Watcher } from './kinds.ts'

/** The name of the Watcher's entry in the configuration of a runtime. */
export const watcherEntryName = ({ metadata }: Watcher): string =>
  `${metadata.namespace}.${metadata.name}.operator.kyma-project.io`

/** A sentence about what is wrong with the Watcher itself; undefined: nothing is. */
export const watcherFault = checks<[Watcher], string>(
  ({ spec }: KubeObject) => spec === undefined && 'spec is missing',
  watcher =>
    watcherManager(watcher) === '' &&
    'neither spec.manager nor the label operator.kyma-project.io/managed-by names a manager',
  watcher =>
    !isSubdomain(watcherManager(watcher)) &&
    `the manager ${JSON.stringify(watcherManager(watcher))} cannot be a part of a path: it is no lowercase RFC 1123 subdomain`,
  watcher =>
    watcherEntryName(watcher).length > longestSubdomain &&
    `the name is too long: ${watcherEntryName(watcher)} has more than ${longestSubdomain} characters`,
  ({ spec }) => spec.resourceToWatch.version === '' && 'spec.resourceToWatch.version is empty',
  ({ spec }) => spec.resourceToWatch.resource === '' && 'spec.resourceToWatch.resource is empty',
  ({ spec }) => labelFault(Object.entries(spec.labelsToWatch ?? {})),
)

const labelFault = (labels: readonly (readonly [key: string, value: string])[]): string | undefined => {
  const [wrong] = labels.filter(([key, value]) => !isLabelKey(key) || !isLabelValue(value))
  return wrong && `spec.labelsToWatch: ${JSON.stringify(wrong.join('='))} is no label`
}

/** '' when nothing names one. */
export const watcherManager = ({ spec, metadata }: Watcher): string =>
  spec.manager || (metadata.labels?.[kymaNames.labels.managedBy] ?? '')
