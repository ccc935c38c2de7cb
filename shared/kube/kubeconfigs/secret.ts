// Finds the kubeconfig in a Secret. The relay needs the kubeconfig for watches, and functions need it for writes.
import { isMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'

const usualKeys = ['value', 'value.yaml', 'value.yml'] as const

export const kubeconfigKeys = (key = ''): readonly string[] => (key === '' ? usualKeys : [key])

export const kubeconfigIn = ({ data }: KubeObject, keys: readonly string[]): string | undefined => {
  const texts = keys.map(key => (isMap(data) ? data[key] : undefined))
  const text = texts.find(found => typeof found === 'string')
  return typeof text === 'string' ? Buffer.from(text, 'base64').toString() : undefined
}
