// Host settings for callbacks: the listener, trusted callers, rates, and the relay.

import { settingsTable } from '../../core/settings/setting.ts'
import { address, listShape, namespacedName, optional, textShape, url, whole } from '../../core/settings/shapes.ts'

export const callbackSettings = settingsTable({
  callbacksListen: {
    sentence: 'Where runtimes report events, and nothing else; used when a function receives any',
    shape: address,
    default: ':10443',
  },
  callbacksSecret: {
    sentence:
      "The Secret with tls.crt and tls.key for that, and in ca.crt the authorities of runtimes' certificates; read again like the serving certificate",
    shape: namespacedName,
    default: 'istio-system/klm-istio-gateway',
  },
  callbacksDirectory: {
    sentence: 'A directory with these three files, instead of the Secret',
    shape: optional(textShape('a path')),
  },
  callbackProxies: {
    sentence:
      'Proxies that may forward the certificate of a runtime (X-Forwarded-Client-Cert), by a URI in their own certificate; none when empty',
    shape: listShape('URIs such as spiffe://cluster.local/ns/istio-system/sa/istio-ingressgateway'),
  },
  callbackProxyAuthorities: {
    sentence: 'A file with the authorities of the certificates of these proxies',
    env: 'ESPALIER_CALLBACK_PROXY_CA',
    shape: optional(textShape('a path')),
  },
  callbackRate: {
    sentence: 'How many events a runtime may report in a second',
    shape: whole('events', 1, 100_000),
    default: '20',
  },
  callbackBurst: {
    sentence: 'How many events a runtime that was quiet may report at once',
    shape: whole('events', 1, 100_000),
    default: '100',
  },
  relay: {
    sentence: 'The relay that takes the keys of objects that events concern',
    shape: url,
    default: 'http://relay.espalier-system.svc:8080',
  },
  relayTokenFile: {
    sentence: 'The file with the token shown to the relay',
    shape: textShape('a path'),
    default: '/var/run/secrets/espalier/token',
  },
})
