// The host's own settings, and what comes of them: access to artifacts, and renderers. Functions declare theirs beside their definitions.
import type { LookupFunction } from 'node:net'
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import {
  address,
  listShape,
  namespacedName,
  oneOfShape,
  optional,
  seconds,
  serverAddresses,
  textShape,
  url,
  whole,
} from '../../core/settings/shapes.ts'
import { AccessError } from '../../kube/errors.ts'
import { guardedLookup, hostFault, hostOf } from '../../kube/kubeconfigs/allowed-hosts.ts'
import { ArtifactError } from '../../outside/artifact-error.ts'
import { type Artifacts, artifacts } from '../../outside/artifacts.ts'
import { startRenderer } from '../../runtime/renderer/process.ts'
import { Renderers } from '../../runtime/renderer/renderers.ts'
import { callerSecret, listenerSettings, programSettings } from './program-settings.ts'

export const callbackSettings = settingsTable({
  callbacksListen: {
    sentence: 'Address on which the host receives events of runtimes; used only if a function receives events',
    shape: address,
    default: ':10443',
  },
  callbacksSecret: {
    sentence:
      'Secret with tls.crt and tls.key for this address, and with the certificate authorities of runtimes in ca.crt; read again every --tls-reload-seconds',
    shape: namespacedName,
    default: 'istio-system/klm-istio-gateway',
  },
  callbacksDirectory: {
    sentence: 'Directory with tls.crt, tls.key and ca.crt, used instead of --callbacks-secret',
    shape: optional(textShape('a path')),
  },
  callbackProxies: {
    sentence:
      'URIs of the certificates of proxies that may forward the certificate of a runtime (X-Forwarded-Client-Cert); empty: no proxy may',
    shape: listShape('URIs such as spiffe://cluster.local/ns/istio-system/sa/istio-ingressgateway'),
  },
  callbackProxyAuthorities: {
    sentence: 'File with the certificate authorities that sign the certificates of --callback-proxies',
    env: 'ESPALIER_CALLBACK_PROXY_CA',
    shape: optional(textShape('a path')),
  },
  callbackRate: {
    sentence:
      'Maximum number of events per second that the host accepts from a runtime. Raise it if runtimes get HTTP 429',
    shape: whole('events', 1, 100_000),
    default: '20',
  },
  callbackBurst: {
    sentence: 'Maximum number of events that a runtime may report at once, before --callback-rate limits them',
    shape: whole('events', 1, 100_000),
    default: '100',
  },
  relay: {
    sentence: 'URL of the relay to which the host sends the keys of the objects in events',
    shape: url,
    default: 'http://relay.espalier-system.svc:8080',
  },
  relayTokenFile: {
    sentence: 'File with the token that authenticates the host at the relay',
    shape: textShape('a path'),
    default: '/var/run/secrets/espalier/token',
  },
})

export const artifactSettings = settingsTable({
  chartRoot: {
    sentence: 'Folder that contains the charts of directory sources of components; empty: no directory sources',
    shape: optional(textShape('a path')),
  },
  registries: {
    sentence:
      'Hosts from which artifacts may be pulled; loopback, link-local and cloud metadata addresses must be listed exactly',
    shape: listShape('hosts, *.suffix or *'),
    default: '*',
  },
  plainRegistries: {
    sentence:
      'Registries that are used without TLS; insecure, because others can read credentials and change responses',
    shape: serverAddresses,
  },
  blobFolder: {
    sentence: 'Folder in which layers of modules are cached; empty: no cache',
    shape: optional(textShape('a path')),
  },
})

export const artifactsOf = (settings: SettingsOf<typeof artifactSettings>): Artifacts => {
  const allowed = settings.registries
  const hosts = {
    faultOf: (url: URL) => {
      const fault = hostFault(hostOf(url), allowed)
      return fault && `points to "${hostOf(url)}", which ${fault}`
    },
    lookupFor: (url: URL) => refusing(guardedLookup(hostOf(url), allowed)),
  }
  const { chartRoot, blobFolder } = settings
  return artifacts({ registries: { hosts, plain: settings.plainRegistries }, chartRoot, blobFolder })
}

const refusing = (lookup: LookupFunction | undefined): LookupFunction | undefined =>
  lookup &&
  ((name, options, callback) =>
    lookup(name, options, (error, ...found) =>
      callback(
        error instanceof AccessError ? new ArtifactError('refused', `"${name}": ${error.message}`) : error,
        ...found,
      ),
    ))

export const renderSettings = settingsTable({
  renderSeconds: {
    sentence:
      'CPU time limit for one rendering of a chart or kustomization. Raise it if a large chart fails with this limit',
    shape: seconds(1, 600),
    default: '30',
  },
  renderMegabytes: {
    sentence:
      'Memory limit of a renderer process; a host has at most two renderer processes. Raise it if a large chart fails with this limit',
    shape: whole('MB', 128, 16_384),
    default: '384',
  },
})

/** Renderers start on demand. `program`: the module that they run. */
export const renderersOf = (settings: SettingsOf<typeof renderSettings>, program: string): Renderers => {
  const limits = { seconds: settings.renderSeconds, megabytes: settings.renderMegabytes }
  const bytesMost = limits.megabytes * 2 ** 20
  return new Renderers({ start: () => startRenderer({ path: program, bytesMost }), limits })
}

export const hostSettings = settingsTable({
  ...programSettings,
  functions: {
    sentence: 'Functions that this host serves; empty: all. Set it to divide the functions among several hosts',
    shape: listShape('names of functions'),
  },
  listen: {
    sentence: 'Address on which the host serves functions, probes and metrics',
    shape: address,
    default: ':8443',
  },
  probesListen: {
    sentence: 'Address on which the host serves probes and metrics without TLS; empty: none',
    shape: optional(address),
    default: ':8080',
  },
  webhooksListen: {
    sentence: 'Address on which the host serves admission webhooks; used only if a function has webhooks',
    shape: address,
    default: ':9443',
  },
  console: {
    sentence:
      'Address on which the host serves the console, a read-only web page for users with a token; empty: none. The host needs the rights to create TokenReviews and SubjectAccessReviews, as system:auth-delegator grants them',
    shape: optional(address),
  },
  tls: {
    sentence: 'Source of the serving certificate: a Secret that this host maintains, or files',
    shape: oneOfShape('secret', 'files', 'off'),
    default: 'secret',
  },
  tlsDirectory: {
    sentence: 'Directory with tls.crt and tls.key, for --tls files',
    shape: textShape('a path'),
    default: '/var/run/espalier/tls',
  },
  tlsReloadSeconds: {
    sentence:
      'Time between two checks whether the serving certificate changed. Lower it if a renewed certificate must be used sooner',
    shape: seconds(0.05, 3_600),
    default: '15',
  },
  functionsTls: {
    sentence:
      'Whether functions and the console are served over TLS with the serving certificate. Turn it on if you do not trust the network between relay and host',
    shape: oneOfShape('on', 'off'),
    default: 'off',
  },
  webhookClientAuthorities: {
    sentence:
      'File with the certificate authorities of the client certificate that the API server uses for webhooks; empty: no client certificate is required',
    env: 'ESPALIER_WEBHOOK_CLIENT_CA',
    shape: optional(textShape('a path')),
  },
  webhookClientNames: {
    sentence:
      'Common names that the client certificate of the API server may have; empty: every name. Used only with --webhook-client-ca',
    shape: listShape('common names'),
  },
  callerProof: {
    sentence:
      'How callers of functions authenticate: tokens verified with the keys of the API server, tokens verified by the API server itself (review, for which the host needs the right to create TokenReviews, as system:auth-delegator grants it), or one shared secret',
    shape: oneOfShape('keys', 'review', 'secret'),
    default: 'keys',
  },
  callers: {
    sentence: 'User names that may call functions; empty: the service account of the relay',
    shape: listShape('user names such as system:serviceaccount:espalier-system:relay'),
  },
  callerSecret,
  ...callbackSettings,
  ...listenerSettings,
  drainSeconds: {
    sentence:
      'Time after SIGTERM in which new calls are still accepted. Raise it if clients learn later that this host stops',
    shape: seconds(0, 300),
    default: '5',
  },
  graceSeconds: {
    sentence:
      'Time after the drain time in which running calls may finish; then the host aborts them. Raise it together with terminationGracePeriodSeconds of the Pod',
    shape: seconds(1, 900),
    default: '25',
  },
  ...artifactSettings,
  ...renderSettings,
})

export type HostSettings = SettingsOf<typeof hostSettings>
