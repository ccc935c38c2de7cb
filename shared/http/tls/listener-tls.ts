// Chooses the certificate of a host's listeners by its settings, and waits for it within the time that kubelet gives a start. With `secret`
// the host keeps the certificate itself: the function webhook-certificate runs before the host listens, and later like any other function.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as elapsed } from 'node:timers/promises'
import type { Log } from '../../core/log.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Client } from '../../kube/client-types.ts'
import type { ProcessContext } from '../../runtime/context.ts'
import type { FunctionDefinition } from '../../runtime/definition.ts'
import { reconcile } from '../../runtime/reconcile.ts'
import type { HostSettings } from '../settings/host-settings.ts'
import { type CertificateSource, certificateFiles, certificateSecret } from './serving-certificate.ts'
import { type TlsOptions, type TlsSettings, tlsOptions } from './tls.ts'

type ListenerTlsParts = {
  settings: HostSettings
  functions: readonly FunctionDefinition[]
  local: Client
  context: ProcessContext
  log: Log
}

/** undefined: the listeners are without TLS. Rejects when the start budget ends and there is no certificate. */
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
  /** Before each attempt to read the source. Rejects when the next attempt is better. */
  prepare(): Promise<void>
  /** No attempt begins later. The startup probe allows for 60 s. */
  seconds: number
}

const kinds: Readonly<Record<'secret' | 'files', (parts: ListenerTlsParts) => Kind>> = {
  // On a first installation the files come with a Secret that another host is just making. kubelet fills the mounted volume when it
  // starts the container again, so the host ends early.
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

const origin = 'in a cluster it is of Secret espalier-webhook-certificate, which the host of webhook-certificate makes'
const attemptMilliseconds = 8_000
const pauseMilliseconds = 250

/** Runs the function; a host that does not serve it uses the Secret as it is. */
const certificateKept = async ({ functions, context, log }: ListenerTlsParts): Promise<void> => {
  const keeper = functions.find(({ name }) => name === 'webhook-certificate')
  if (keeper?.does !== 'reconcile') return
  const signal = AbortSignal.timeout(attemptMilliseconds)
  const end = performance.now() + attemptMilliseconds
  const call = { ...context, signal, lastPassAt: end, lastRequestAt: end, now: () => new Date(), log }
  const { outcome, reason } = await reconcile(keeper, { namespace: '', name: context.home }, call)
  log.info({ function: keeper.name, outcome, reason }, 'looked after the serving certificate')
}

/** Repeats the attempt after every error, since kubelet would start the process again only after a back-off of minutes. */
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
