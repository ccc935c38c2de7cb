// Which key of a Secret holds the kubeconfig of a cluster: the same answer for whoever watches that cluster and whoever
// writes to it.
import { isMap } from '../../core/json.ts'
import type { KubeObject } from '../../core/object.ts'

const usualKeys = ['value', 'value.yaml', 'value.yml'] as const

/** The keys that are looked at, the first one first; '' names none, so that the usual ones count. */
export const kubeconfigKeys = (key = ''): readonly string[] => (key === '' ? usualKeys : [key])

/** The text under the first of these keys that is there. */
export const kubeconfigIn = ({ data }: KubeObject, keys: readonly string[]): string | undefined => {
  const texts = keys.map(key => (isMap(data) ? data[key] : undefined))
  const text = texts.find(found => typeof found === 'string')
  return typeof text === 'string' ? Buffer.from(text, 'base64').toString() : undefined
}
