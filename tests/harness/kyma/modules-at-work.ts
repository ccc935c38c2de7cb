// The functions kyma and manifest together, behind the relay with their subscriptions of serverless.yml, on a control plane with a runtime and a
// registry. The host does not ask to be called again, so every call has an event as its cause.
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { kyma } from '../../../functions/kyma/index.ts'
import type { KymaSettings } from '../../../functions/kyma/settings.ts'
import { manifest } from '../../../functions/manifest/index.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { digestOf, tar } from '../../make/artifact.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import { componentArtifact } from '../../make/kyma/module-registry.ts'
import { settingsWith } from '../../make/settings.ts'
import type { RecordingHost } from '../../shared/relay/recording-host.ts'
import { hostFor, relayOf } from '../clusters/relay-of.ts'
import { placesWith } from '../component/component-ground.ts'
import { callOf } from '../component/orchards.ts'
import { anyRegistry, type User } from '../registries/real-registry.ts'
import type { KymaClusters } from './kyma-clusters.ts'
import { onlyEvents } from './kyma-relay.ts'

export type ModulesAtWork = {
  readonly host: RecordingHost
  /** From now on, the channel regular has this version of a module with these objects. */
  release(module: string, version: string, release: Release): Promise<void>
  /** From now on, the Secret with the credentials of the registry has this password. */
  credentials(password: string): Promise<KubeObject>
  /** Calls the function, as the host would if the function had asked for it. */
  again(name: 'kyma' | 'manifest', object: string): Promise<unknown>
  /** From now on, calls see a time that is so much later. */
  later(seconds: number): void
}

type Release = {
  readonly objects: readonly KubeObject[]
  /** The default object. */
  readonly data?: JsonMap
  /** How the objects are packed. */
  readonly packed?: keyof typeof packings
  /** The ModuleTemplate leaves the descriptor to the registry. */
  readonly isPulled?: boolean
}

const packings = {
  plain: async (yaml: string) => Buffer.from(yaml),
  gzipped: async (yaml: string) => gzipSync(yaml),
  folder: (yaml: string) => tar([{ name: 'module.yaml', content: yaml }]),
}

type AnyFunction = Pick<ReconcileFunction, 'name' | 'keys' | 'settings'> & object

const functions: Readonly<Record<string, AnyFunction>> = { kyma, manifest }
const person = { fieldManager: 'person' }
const credentials = 'registry-credentials'

/** Resolves when the relay watches everything. */
export const modulesAtWork = async (
  t: Test,
  ground: KymaClusters,
  { user, ...change }: Partial<KymaSettings> & { readonly user?: User } = {},
): Promise<ModulesAtWork> => {
  const registry = await anyRegistry(t, user)
  const places = { registry: `${registry.host}/modules`, registrySecret: user && credentials }
  let aheadSeconds = 0
  const process = {
    ...processContext({ clusters: ground.everywhere }),
    ...placesWith({ ESPALIER_PLAIN_REGISTRIES: registry.host }),
    settingsOf: settingsWith({ ...change, ...places }),
    now: () => new Date(Date.now() + aheadSeconds * 1000),
  }
  const { memory } = process
  const host = await hostFor(t, functions, process)
  const call = (name: string, key: string) => {
    const [namespace = '', called = ''] = key.split('/')
    const within = { ...callOf(ground.everywhere), ...process, memory }
    return reconcile(functions[name] as ReconcileFunction, { namespace, name: called }, within)
  }
  host.answer = async ({ function: name, key }) => onlyEvents(await call(name, key))
  await relayOf(t, ground, { host, names: Object.keys(functions) })
  return {
    host,
    again: (name, object) => call(name, `kcp-system/${object}`),
    later: seconds => {
      aheadSeconds += seconds
    },
    credentials: password => {
      const auths = { [registry.host]: { username: user?.username, password } }
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: credentials, namespace: 'kcp-system' } }
      const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') }
      const type = 'kubernetes.io/dockerconfigjson'
      return ground.client.apply({ ...secret, type, data }, { ...person, force: true })
    },
    release: async (module, version, { objects, data, packed = 'plain', isPulled }) => {
      const component = `kyma-project.io/module/${module}`
      const layer = await packings[packed](objects.map(object => stringify(object)).join('---\n'))
      const mediaType = packed === 'folder' ? 'application/x-tar' : 'application/octet-stream'
      const access = { type: 'localBlob', localReference: digestOf(layer), mediaType }
      const descriptor = descriptorOf(component, version, access)
      const artifact = await componentArtifact(descriptor, [layer])
      await registry.push(`modules/component-descriptors/${component}`, version, artifact)
      const spec = { moduleName: module, version, ...(data && { data }) }
      const template = moduleTemplate({ metadata: { name: `${module}-${version}` } })
      const held = { ...template, spec: { ...spec, descriptor: isPulled ? {} : descriptor } }
      await ground.client.apply(held, { ...person, force: true })
      const channels = [{ channel: 'regular', version }]
      const released = { moduleName: module, channels, ocmComponentName: component }
      const meta = moduleReleaseMeta({ metadata: { name: module }, spec: released })
      await ground.client.apply(meta, { ...person, force: true })
    },
  }
}

const descriptorOf = (name: string, version: string, access: JsonMap): JsonMap => ({
  component: {
    name,
    version,
    provider: 'kyma-project.io',
    repositoryContexts: [{ type: 'OCIRegistry', componentNameMapping: 'urlPath' }],
    resources: [{ name: 'raw-manifest', type: 'yaml', version, access }],
  },
})
