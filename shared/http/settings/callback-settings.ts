// Host settings for callbacks: the listener, trusted callers, rates, and the relay.

import { settingsTable } from '../../core/settings/setting.ts'
import { address, listShape, namespacedName, optional, textShape, url, whole } from '../../core/settings/shapes.ts'

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
