// Which key of a Secret holds a kubeconfig. The relay, which watches the cluster, and the functions, which write to it, both ask here.
import { isMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'

const usualKeys = ['value', 'value.yaml', 'value.yml'] as const

/** The keys to look at, in this order; '' means the usual ones. */
export const kubeconfigKeys = (key = ''): readonly string[] => (key === '' ? usualKeys : [key])

export const kubeconfigIn = ({ data }: KubeObject, keys: readonly string[]): string | undefined => {
  const texts = keys.map(key => (isMap(data) ? data[key] : undefined))
  const text = texts.find(found => typeof found === 'string')
  return typeof text === 'string' ? Buffer.from(text, 'base64').toString() : undefined
}
