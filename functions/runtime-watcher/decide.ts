// Which objects the agent watches: the objects in the entries of its own ValidatingWebhookConfiguration. These are the objects for which the
// API server sends reviews, so no other list is needed.
import type { WatchedResource } from '../../shared/api/kyma/runtime-event.ts'
import { attempted } from '../../shared/core/decisions/reading.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn } from '../../shared/core/json/json.ts'
import { labelSelectorText } from '../../shared/core/objects/label-selector.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'

/** Omits entries with another form than functions/kyma writes. */
export const watchedIn = ({ webhooks }: KubeObject): WatchedResource[] =>
  mapsIn(webhooks).flatMap(entry => mapsIn(entry.rules).flatMap(rule => watchedBy(rule, entry) ?? []))

const watchedBy = (rule: JsonMap, entry: JsonMap): WatchedResource | undefined => {
  const manager = managerIn(pathOf(mapOrEmpty(entry.clientConfig)))
  const [[group], [version], [resource]] = [textsIn(rule.apiGroups), textsIn(rule.apiVersions), textsIn(rule.resources)]
  if (manager === undefined || group === undefined || !isText(version) || !isText(resource)) return undefined
  const { matchLabels } = mapOrEmpty(entry.objectSelector)
  const part = resource.endsWith('/status') ? 'status' : 'spec'
  return {
    manager,
    group,
    version,
    part,
    resource: resource.split('/')[0] ?? '',
    labelSelector: labelSelectorText(mapOrEmpty(matchLabels)),
  }
}

/** undefined for another path, or for an invalid path such as `/validate/%ff`. */
const managerIn = (path: string): string | undefined => {
  const [, manager] = /^\/validate\/([^/]+)$/.exec(path) ?? []
  const decoded = attempted(() => decodeURIComponent(manager ?? ''))
  return manager !== undefined && 'read' in decoded ? decoded.read : undefined
}

/** If the API server is outside the cluster, it cannot reach a Service, so the entry has a URL. */
const pathOf = ({ service, url }: JsonMap): string =>
  isText(url) ? (URL.parse(url)?.pathname ?? '') : textOr(mapOrEmpty(service).path)

export const textOr = (value: unknown): string => (isText(value) ? value : '')

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
