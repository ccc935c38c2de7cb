// Chooses the certificate of the host's listeners, and waits for the certificate within kubelet's start time. With `secret`, the host
// maintains the certificate itself: the function webhook-certificate runs before the host listens, and later like any other function.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as elapsed } from 'node:timers/promises'
import type { Log } from '../core/log.ts'
import { errorText } from '../core/text/error-text.ts'
import type { Client } from '../kube/client-types.ts'
import type { ProcessContext } from '../runtime/context.ts'
import type { FunctionDefinition } from '../runtime/definition.ts'
import { reconcile } from '../runtime/reconcile.ts'
import type { HostSettings } from './settings/host-settings.ts'
import {
  type CertificateSource,
  certificateFiles,
  certificateSecret,
  type TlsOptions,
  type TlsSettings,
  tlsOptions,
} from './tls.ts'

type ListenerTlsParts = {
  settings: HostSettings
  functions: readonly FunctionDefinition[]
  local: Client
  context: ProcessContext
  log: Log
}

/** undefined without TLS. Rejects if there is no certificate in time. */
export const listenerTls = async (
  parts: ListenerTlsParts,
): Promise<{ tls: TlsSettings; options: TlsOptions } | undefined> => {
  const { settings, log } = parts
  if (settings.tls === 'off') return undefined
  const { source, prepare, seconds } = kinds[settings.tls](parts)
  const tls = { source, clientAuthoritiesFile: settings.webhookClientAuthorities }
  const attempt = async () => {
    await prepare()
    return { tls, options: await tlsOptions(tls) }
  }
  return triedFor(seconds, attempt, log)
}

type Kind = {
  source: CertificateSource
  /** Called before each attempt to read the certificate. If it rejects, another attempt follows later. */
  prepare(): Promise<void>
  /** No attempt starts after this time. The startup probe allows 60 s. */
  seconds: number
}

const kinds: Readonly<Record<'secret' | 'files', (parts: ListenerTlsParts) => Kind>> = {
  // At a first installation, another host may still be creating the Secret of the files. The host therefore exits early, because kubelet
  // fills the mounted volume when it restarts the container.
  files: ({ settings: { tlsDirectory } }) => ({
    source: certificateFiles(tlsDirectory),
    prepare: async () => {
      const file = statSync(join(tlsDirectory, 'tls.crt'), { throwIfNoEntry: false })
      if (!file?.size) throw new Error(`${tlsDirectory} has no tls.crt: ${origin}`)
    },
    seconds: 20,
  }),
  secret: parts => ({
    source: () => {
      const secret = { namespace: parts.context.home, name: 'espalier-webhook-certificate' }
      return certificateSecret(parts.local.bound({ signal: AbortSignal.timeout(attemptMilliseconds) }), secret)()
    },
    prepare: () => certificateKept(parts),
    seconds: 40,
  }),
}

const origin = 'in a cluster the function webhook-certificate writes it to Secret espalier-webhook-certificate'
const attemptMilliseconds = 8_000
const pauseMilliseconds = 250

/** Runs webhook-certificate. A host without this function uses the Secret unchanged. */
const certificateKept = async ({ functions, context, log }: ListenerTlsParts): Promise<void> => {
  const keeper = functions.find(({ name }) => name === 'webhook-certificate')
  if (keeper?.does !== 'reconcile') return
  const signal = AbortSignal.timeout(attemptMilliseconds)
  const end = performance.now() + attemptMilliseconds
  const call = { ...context, signal, lastPassAt: end, lastRequestAt: end, now: () => new Date(), log }
  const { outcome, reason } = await reconcile(keeper, { namespace: '', name: context.home }, call)
  log.info({ function: keeper.name, outcome, reason }, 'checked and renewed the serving certificate')
}

/** Makes another attempt after every error, because kubelet would wait for minutes before a restart. */
const triedFor = async <T>(seconds: number, attempt: () => Promise<T>, log: Log): Promise<T> => {
  const end = performance.now() + seconds * 1_000
  for (let said = ''; ; ) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() > end) throw error
      const text = errorText(error)
      if (text !== said) log.warn({ err: error }, `the host waits for its serving certificate: ${text}`)
      said = text
    }
    await elapsed(pauseMilliseconds)
  }
}
