// Reads the Secrets of CA and listener, and parses their certificates.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { watcherKind } from '../../shared/api/kyma.ts'
import { mapOrEmpty } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { secretText } from '../../shared/core/objects/secret-text.ts'
import {
  certificatesIn,
  hasIssued,
  hasKey,
  isGoodFor,
  lifetimeOf,
  pemOf,
  tlsCertificate,
} from '../../shared/core/tls/certificate.ts'
import { trustedAuthority } from '../../shared/core/tls/renewal.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { installedOf } from '../../shared/kube/reading.ts'
import {
  certificateDefinitions,
  certificateProvider,
  gatewaySecretName,
  rootSecretName,
  secretOfCertificates,
} from '../../shared/kyma/certificates.ts'
import { wantedAgent } from '../../shared/kyma/settings.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import type { GatewayCertificateSettings } from './settings.ts'
import type { ListenerCertificate, World } from './world.ts'

type Context = Pick<GatherContext<GatewayCertificateSettings>, 'reads' | 'settings'>

export const gather = async (_: KubeObject, { reads, settings }: Context): Promise<World> => {
  const agent = wantedAgent(settings)
  const names = listenerNames(agent?.eventAddress)
  const [watchers, installed, root, gateway] = await Promise.all([
    reads.list({ ...watcherKind, namespace: kymaNames.namespaces.controlPlane, metadataOnly: true }),
    installedOf(reads, certificateDefinitions),
    secretNamed(reads, rootSecretName),
    secretNamed(reads, gatewaySecretName),
  ])
  const provider = certificateProvider(settings.certificates, installed)
  const ofRoot = authoritiesIn(root)
  const issuers = [...ofRoot, ...authoritiesIn(gateway)]
  const key = secretText(root, provider === 'builtin' ? 'ca.key' : 'tls.key')
  return {
    isNeeded: watchers.length > 0 || agent !== undefined,
    provider,
    times: settings,
    names,
    root: {
      secret: root,
      authorities: ofRoot.map(trustedAuthority),
      canSign: ofRoot[0] !== undefined && hasKey(ofRoot[0], key),
      ...servingIn(root, { names, issuers }),
    },
    gateway: {
      secret: gateway,
      authorities: authoritiesIn(gateway).map(trustedAuthority),
      ...servingIn(gateway, { names, issuers }),
    },
  }
}

/** The host of `host:port` or `[fd00::1]:port`, and the Service in the cluster. */
const listenerNames = (address: string | undefined): readonly string[] => [
  ...(address === undefined ? [] : [address.slice(0, address.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1')]),
  'runtime-events.espalier-system.svc',
]

/** The Secret. If the Secret does not exist, an empty Secret without uid. */
const secretNamed = async (reads: Reads, name: string): Promise<KubeObject> => {
  const { namespace, ...kind } = secretOfCertificates(name)
  return (await reads.get({ ...kind, namespace })) ?? { ...kind, metadata: { namespace, name } }
}

const authoritiesIn = (secret: KubeObject) => certificatesIn(secretText(secret, 'ca.crt')).filter(({ ca }) => ca)

type Judging = { readonly names: readonly string[]; readonly issuers: ReturnType<typeof certificatesIn> }

const servingIn = (secret: KubeObject, { names, issuers }: Judging): { serving?: ListenerCertificate } => {
  const certificate = tlsCertificate(secret)
  if (certificate === undefined) return {}
  const data = mapOrEmpty(secret.data)
  const issuer = issuers.find(one => hasIssued(one, certificate))
  return {
    serving: {
      ...lifetimeOf(certificate),
      data: { 'tls.crt': String(data['tls.crt']), 'tls.key': String(data['tls.key']) },
      lacks: names.filter(name => !isGoodFor(certificate, name)),
      ...(issuer && { issuer: pemOf(issuer) }),
    },
  }
}
