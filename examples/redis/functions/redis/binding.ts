// The Secret from which clients of a Redis learn how to connect: a key for each fact, or what the template of the Redis makes of them.
import { type GeneratorContext, type Key, type KubeObject, templateParameters } from 'espalier'
import type { Redis } from '../../kinds/redis.ts'

type Spec = Redis['spec'] & { readonly password: string }

/** It comes in the wave after the cache, so who finds it can connect. At a deletion it goes first. */
const annotations = { 'redis.cache.cs.sap.com/apply-order': '1', 'redis.cache.cs.sap.com/delete-order': '-1' }

export const bindingSecret = async (context: GeneratorContext, key: Key, spec: Spec): Promise<KubeObject> => {
  const { secretName = `redis-${key.name}-binding`, template } = spec.binding ?? {}
  const data =
    template === undefined ? facts(key, spec) : await templateParameters(template)(facts(key, spec), context, key)
  return {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { namespace: key.namespace, name: secretName, annotations },
    stringData: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)])),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const facts = ({ namespace, name }: Key, { sentinel, password }: Spec) => {
  const host = (role = '') => `redis-${name}${role}.${namespace}.svc.cluster.local`
  const port = 6379
  if (!sentinel?.enabled)
    return {
      masterHost: host('-master'),
      masterPort: port,
      replicaHost: host('-replicas'),
      replicaPort: port,
      password,
    }
  const sentinels = { sentinelEnabled: true, sentinelHost: host(), sentinelPort: 26379, masterName: 'mymaster' }
  return { host: host(), port, ...sentinels, password }
}
