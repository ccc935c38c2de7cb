// What functions that install modules ask of their registry: with which credentials, and how often.
import { createHash } from 'node:crypto'
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { matches } from '../../harness/matches.ts'
import { type StandInRegistry, standInRegistry } from '../../harness/registries/registry.ts'
import { callTo, descriptorTar, pushDescriptor } from '../../make/kyma/module-registry.ts'

const users = { username: 'alice', password: 'wonderland' }
const component = 'kyma-project.io/module/telemetry'
const version = '1.2.3'
const repository = `modules/component-descriptors/${component}`
const layer = Buffer.from('kind: ConfigMap\n')
const digest = `sha256:${createHash('sha256').update(layer).digest('hex')}`
const descriptor = await descriptorTar({ component: { name: component, version } })

const secretFor = (host: string, password: string): KubeObject => {
  const text = JSON.stringify({ auths: { [host]: { ...users, password } } })
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'registry', namespace: 'kcp-system' },
    data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
  }
}

type Circumstances = { readonly get?: Reads['get']; readonly registrySecret?: string }

const contextWith = ({ get = async () => undefined, registrySecret }: Circumstances) => {
  const settings = { registry: undefined, registrySecret, signature: undefined }
  return { reads: { get, list: async () => [] }, settings, memory: processMemory() }
}

/** What a call is told of the descriptor and of a layer. */
const told = async (registry: StandInRegistry, context: ReturnType<typeof contextWith>) => {
  const call = callTo(registry, context)
  return Promise.all([
    call.componentLayer({ registry: `${registry.host}/modules`, component, version }),
    call.layerDigests({ repository: `${registry.host}/${repository}`, digest, hash: 'sha256' }),
  ])
}

const filled = (registry: StandInRegistry): StandInRegistry => {
  pushDescriptor(registry, { repository, tag: version, packed: descriptor })
  registry.putBlob(repository, layer)
  return registry
}

const all = [{ read: descriptor }, { read: [digest.slice('sha256:'.length)] }]

t.test('KY-34 KY-113 KY-114 descriptors and signed layers are pulled with the credentials of the setting', async t => {
  for (const by of ['basic', 'bearer'] as const) {
    const registry = filled(await standInRegistry(t, { ...users, by }))
    const asked: string[] = []
    const reading =
      (password: string): Reads['get'] =>
      async ({ namespace, name }) => {
        asked.push(`${namespace}/${name}`)
        return secretFor(registry.host, password)
      }
    const refused = { failed: /cannot be pulled: .*401/ }
    matches(
      t,
      await told(registry, contextWith({ get: reading('wonderland') })),
      [refused, refused],
      `${by}, no setting`,
    )
    t.strictSame(asked, [], 'no Secret is read')
    const missing = { failed: 'no private oci registry auth secret found: kcp-system/registry' }
    t.strictSame(await told(registry, contextWith({ registrySecret: 'registry' })), [missing, missing], by)
    const wrong = contextWith({ registrySecret: 'registry', get: reading('looking-glass') })
    matches(t, await told(registry, wrong), [refused, refused], `${by}, wrong password`)
    asked.length = 0
    const right = contextWith({ registrySecret: 'registry', get: reading('wonderland') })
    matches(t, await told(registry, right), all, by)
    t.strictSame(asked, ['kcp-system/registry'], 'once in a call')
  }
})

t.test('a local API server in trouble is no fault of a module', async t => {
  const registry = filled(await standInRegistry(t, { ...users, by: 'basic' }))
  const get = () => Promise.reject(new ApiError({ code: 503, message: 'away', reason: 'ServiceUnavailable' } as never))
  const told503 = await told(registry, contextWith({ registrySecret: 'registry', get })).catch(error => error)
  matches(t, told503, { code: 503, message: 'away' })
})

t.test('what is remembered saves requests; who has forgotten it asks again and is told the same', async t => {
  const registry = filled(await standInRegistry(t))
  const context = contextWith({})
  matches(t, await told(registry, context), all)
  const asked = registry.requests.length
  matches(t, await told(registry, context), all)
  t.equal(registry.requests.length, asked, 'nothing is asked again')
  matches(t, await told(registry, { ...context, memory: processMemory() }), all)
  t.equal(registry.requests.length, 2 * asked)
})
