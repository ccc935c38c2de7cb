// Stands in for istiod where no Pods run: it answers the webhook of its Service that injects sidecars, as the ConfigMaps of the mesh say,
// and makes API servers trust it by writing its authority into the webhook configuration, once Deployment istiod is available. It
// configures no proxy and validates nothing.
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { runStandIn, type StandIn } from '../garden/stand-in.ts'
import { whileAvailable } from '../garden/while-available.ts'
import { patched } from '../garden/writes.ts'
import { mapOrEmpty, mapsIn } from '../value.ts'
import { type RunningInjector, startInjector } from './injector.ts'
import { sidecarOfMesh } from './sidecar.ts'

/** The Service that API servers call, and the Deployment behind it. */
export const istiodKey = { namespace: 'istio-system', name: 'istiod' }

type RunningIstiod = {
  /** Where it listens for API servers, on 127.0.0.1. */
  readonly port: number
  stop(): Promise<void>
}

export const runIstiod = async (client: Client): Promise<RunningIstiod> => {
  const { namespace, name } = istiodKey
  const sidecar = async () => {
    const [injector, istio] = await Promise.all(meshConfigs.map(ref => client.get(ref)))
    if (injector && istio) return sidecarOfMesh(injector, istio)
    throw new Error('the mesh has no ConfigMaps')
  }
  const running = await startInjector({ hosts: [`${name}.${namespace}.svc`], sidecar })
  const stopTelling = runStandIn(whileAvailable(trusted(client, running), { client, ...istiodKey }))
  const stop = async () => {
    await stopTelling()
    running.stop()
  }
  return { port: running.port, stop }
}

const meshConfigs: readonly ObjectRef[] = ['istio-sidecar-injector', 'istio'].map(name => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: istiodKey.namespace,
  name,
}))

const configurations = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
} as const

/** Every webhook of its Service gets its authority. */
const trusted = (client: Client, { caBundle }: RunningInjector): StandIn => ({
  name: istiodKey.name,
  kinds: [{ ...configurations, client }],
  look: async known => {
    for (const one of known.all(configurations)) {
      const webhooks = webhooksOf(one)
      const wanted = webhooks.map(webhook => {
        const { service, ...config } = mapOrEmpty(webhook.clientConfig)
        const { namespace, name } = mapOrEmpty(service)
        const isOurs = namespace === istiodKey.namespace && name === istiodKey.name
        return isOurs && config.caBundle !== caBundle
          ? { ...webhook, clientConfig: { ...config, service, caBundle } }
          : webhook
      })
      if (wanted.some((webhook, at) => webhook !== webhooks[at]))
        await patched({ client, manager: 'pilot-discovery' }, one, { webhooks: wanted })
    }
    return undefined
  },
})

const webhooksOf = ({ webhooks }: KubeObject) => mapsIn(webhooks)
