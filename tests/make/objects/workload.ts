// Workloads of one container for stories about the controllers of Kubernetes, and what such stories ask of objects.
import type { Fields, KubeObject } from '../../harness/clients/api.ts'

/** What lies at a path of fields and places in lists. */
export const field = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((found, key) => (found as Record<string | number, unknown> | undefined)?.[key], value)

export const condition = (object: KubeObject, type: string): Fields | undefined =>
  ((field(object, 'status', 'conditions') ?? []) as Fields[]).find(each => each.type === type)

export const isReady = (object: KubeObject): boolean => condition(object, 'Ready')?.status === 'True'

export const labels = { app: 'story' }

export const template = (more: Fields = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'app', image: 'example.com/app:1' }], terminationGracePeriodSeconds: 1, ...more },
})

export const workload = (name: string, spec: Fields = {}) => ({
  metadata: { name },
  spec: { selector: { matchLabels: labels }, template: template(), ...spec },
})
