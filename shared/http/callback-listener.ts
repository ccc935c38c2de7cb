// Builds the listener for Kyma runtimes: certificates, trusted callers, and the relay that gets the keys.
import { readFile } from 'node:fs/promises'
import type { Server as TlsServer } from 'node:https'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { rates } from '../core/bounds/rates.ts'
import type { Log } from '../core/log.ts'
import { secretText } from '../core/objects/secret-text.ts'
import type { Client } from '../kube/client-types.ts'
import type { CallbackParts, HandOver } from './routes/callbacks.ts'
import { type ListenerFiles, type ListenerSource, runtimeTrust } from './runtime-caller.ts'
import type { HostSettings } from './settings/host-settings.ts'
import type { TlsOptions } from './tls.ts'

export type CallbackListener = {
  readonly parts: CallbackParts & { tls: TlsOptions }
  /** Reads the certificates for this app, now and periodically. Also resolves if no certificates exist yet. */
  begin(app: FastifyInstance): Promise<void>
  look(): Promise<void>
  stop(): Promise<void>
}

type ListenerStart = {
  settings: HostSettings
  local: Pick<Client, 'get'>
  log: Log
  /** Overrides the relay address of the settings. */
  relay?: () => Promise<string>
  /** Replaces the hand-over to a relay. */
  handOver?: HandOver
}

export const callbackListener = ({ settings, local, log, ...start }: ListenerStart): CallbackListener => {
  const trust = runtimeTrust(sourceOf(settings, local), { proxies: settings.callbackProxies, log })
  const relay = relayAt(start.relay ?? (async () => settings.relay), settings)
  const endings: (() => unknown)[] = [relay.close]
  let look = async (): Promise<void> => {}
  return {
    parts: {
      trust,
      tls: trust.options,
      handOver: start.handOver ?? relay.handOver,
      secondsUntilNext: rates({ perSecond: settings.callbackRate, burst: settings.callbackBurst }, () =>
        performance.now(),
      ),
    },
    begin: async app => {
      const server = app.server as unknown as TlsServer
      look = () => trust.look(server)
      endings.push(trust.keepLooking(server, settings.tlsReloadSeconds))
      await look().catch(error => log.error({ err: error }, 'the listener for runtimes has no certificate'))
    },
    look: () => look(),
    stop: async () => {
      for (const ends of endings) await ends()
    },
  }
}

const sourceOf = (settings: HostSettings, local: Pick<Client, 'get'>): ListenerSource => {
  const { callbacksDirectory: directory, callbacksSecret, callbackProxyAuthorities } = settings
  const read = directory === undefined ? () => fromSecret(local, callbacksSecret) : () => fromFiles(directory)
  return async () => {
    const files = await read()
    const proxyAuthorities = callbackProxyAuthorities ? await readFile(callbackProxyAuthorities, 'utf8') : ''
    return files && { ...files, proxyAuthorities }
  }
}

type OwnFiles = Omit<ListenerFiles, 'proxyAuthorities'>

const fromFiles = async (directory: string): Promise<OwnFiles> => {
  const read = (file: string) => readFile(join(directory, file), 'utf8')
  const [certificate, key, authorities] = await Promise.all([read('tls.crt'), read('tls.key'), read('ca.crt')])
  return { certificate, key, authorities }
}

/** undefined when the Secret is missing or incomplete. */
const fromSecret = async (
  local: Pick<Client, 'get'>,
  name: { namespace: string; name: string },
): Promise<OwnFiles | undefined> => {
  const secret = await local.get({ apiVersion: 'v1', kind: 'Secret', ...name })
  const [certificate, key] = [secretText(secret, 'tls.crt'), secretText(secret, 'tls.key')]
  return certificate && key ? { certificate, key, authorities: secretText(secret, 'ca.crt') } : undefined
}

type Relay = { handOver: HandOver; close(): Promise<void> }

/** The relay client is loaded with the first event. */
const relayAt = (address: () => Promise<string>, settings: HostSettings): Relay => {
  const token = async (): Promise<string> =>
    settings.callerProof === 'secret'
      ? (settings.callerSecret ?? '')
      : (await readFile(settings.relayTokenFile, 'utf8')).trim()
  const loaded = async () => (await import('../outside/relay-client.ts')).relayClient({ url: await address(), token })
  let client: ReturnType<typeof loaded> | undefined
  return {
    handOver: async (keys, call) => {
      client ??= loaded()
      await (await client).handOver(keys, call)
    },
    close: async () => (await client)?.close(),
  }
}
