// redis: keeps what a Redis consists of: the objects of the chart, a password, and a Secret from which clients learn how to connect.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { component, type Generator, helmChart, templateParameters, transformable } from 'espalier'
import type { Redis } from '../../kinds/redis.ts'
import { bindingSecret } from './binding.ts'
import { makePassword, password } from './password.ts'
import { spread } from './spread.ts'

const parameters = readFileSync(join(import.meta.dirname, 'parameters.yaml'), 'utf8')

const chart = transformable(helmChart(import.meta.dirname, 'chart'))
  .withParameters(templateParameters(parameters))
  .withObjects(objects => objects.map(spread))

const generator: Generator = async (context, namespace, name, spec) => {
  const password = String(context.reference('metadata.name'))
  return [
    ...(await chart(context, namespace, name, { ...spec, password })),
    await bindingSecret(context, { namespace, name }, { ...(spec as Redis['spec']), password }),
  ]
}

export const redisFunction = component({
  name: 'redis.cache.cs.sap.com',
  kind: { group: 'cache.cs.sap.com', version: 'v1alpha1', kind: 'Redis', plural: 'redis' },
  generator,
  options: { references: [password] },
  hooks: { postRead: [makePassword] },
})
