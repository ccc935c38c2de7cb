// Chooses the certificate of a host's listeners by its settings. With `secret` the host keeps the certificate itself: the function
// webhook-certificate runs once before the host listens, and later like any other function.
import type { Log } from '../../core/log.ts'
import type { Client } from '../../kube/client-types.ts'
import type { ProcessContext } from '../../runtime/context.ts'
import type { FunctionDefinition } from '../../runtime/definition.ts'
import { reconcile } from '../../runtime/reconcile.ts'
import type { HostSettings } from '../settings/host-settings.ts'
import { type CertificateSource, certificateFiles, certificateSecret } from './serving-certificate.ts'
import type { TlsSettings } from './tls.ts'

type ListenerTlsParts = {
  settings: HostSettings
  functions: readonly FunctionDefinition[]
  local: Client
  context: ProcessContext
  log: Log
}

/** undefined: the listeners are without TLS. Rejects when there is no certificate and none can be made. */
export const listenerTls = async (parts: ListenerTlsParts): Promise<TlsSettings | undefined> => {
  const { settings } = parts
  if (settings.tls === 'off') return undefined
  if (settings.tls === 'secret') await certificateKept(parts)
  return { source: sources[settings.tls](parts), clientAuthoritiesFile: settings.webhookClientAuthorities }
}

const sources: Readonly<Record<'secret' | 'files', (parts: ListenerTlsParts) => CertificateSource>> = {
  files: ({ settings }) => certificateFiles(settings.tlsDirectory),
  secret: ({ local, context }) =>
    certificateSecret(local, { namespace: context.home, name: 'espalier-webhook-certificate' }),
}

const startSeconds = 20

/** Runs the function; a host that does not serve it uses the Secret as it is. */
const certificateKept = async ({ functions, context, log }: ListenerTlsParts): Promise<void> => {
  const keeper = functions.find(({ name }) => name === 'webhook-certificate')
  if (keeper?.does !== 'reconcile') return
  const signal = AbortSignal.timeout(startSeconds * 1_000)
  const end = performance.now() + startSeconds * 1_000
  const call = { ...context, signal, lastPassAt: end, lastRequestAt: end, now: () => new Date(), log }
  const { outcome, reason } = await reconcile(keeper, { namespace: '', name: context.home }, call)
  log.info({ function: keeper.name, outcome, reason }, 'looked after the serving certificate')
}
