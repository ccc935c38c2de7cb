// Reads and parses the Secrets of a runtime's certificate and of the listener, and reads the Certificate object if an operator makes the certificate.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import { mapOrEmpty } from '../../shared/core/json/json.ts'
import { type Key, type KubeObject, keyOf } from '../../shared/core/objects/object.ts'
import { certificatesIn, hasIssued, isGoodFor, lifetimeOf, tlsCertificate } from '../../shared/core/tls/certificate.ts'
import { getIfServed, installedOf } from '../../shared/kube/reading.ts'
import {
  certificateAsked,
  certificateDefinitions,
  certificateProvider,
  gatewaySecretName,
  runtimeCertificateName,
  secretOfCertificates,
} from '../../shared/kyma/certificates.ts'
import { type Kyma, withSpec } from '../../shared/kyma/kinds.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { namesOf } from './desired/certificate.ts'
import type { RuntimeCertificateSettings } from './settings.ts'
import type { Listener, RuntimeCertificate, World } from './world.ts'

type Context = Pick<GatherContext<RuntimeCertificateSettings>, 'reads' | 'settings'>

export const gather = async (object: KubeObject, { reads, settings }: Context): Promise<World> => {
  const kyma = withSpec<Kyma>(object)
  const { certificateNames, certificateDuration: duration } = settings
  const ref = secretOfCertificates(runtimeCertificateName(kyma.metadata.name))
  const [found, gateway, installed] = await Promise.all([
    reads.get(ref),
    reads.get(secretOfCertificates(gatewaySecretName)),
    installedOf(reads, certificateDefinitions),
  ])
  const provider = certificateProvider(settings.certificates, installed)
  const asking = certificateAsked(kyma.metadata.name, provider)
  const asked = asking && (await getIfServed(reads, asking))
  const { namespace, name } = ref
  const secret = found ?? { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name } }
  const listener = gateway && listenerOf(gateway)
  return {
    kyma,
    furtherNames: certificateNames,
    times: {
      duration,
      renewBefore: Math.min(settings.certificateRenewBefore, duration / 2),
      renewBuffer: settings.certificateRenewBuffer,
    },
    issuer: settings.certificateIssuer,
    provider,
    ...(asked && { asked }),
    ...(listener && { listener }),
    secret: withoutKey(secret),
    ...currentIn(secret, { listener, names: namesOf(kyma, certificateNames) }),
  }
}

const withoutKey = (secret: KubeObject): KubeObject => {
  const { 'tls.key': _, ...data } = mapOrEmpty(secret.data)
  return { ...secret, data }
}

const listenerOf = (gateway: KubeObject): Listener | undefined => {
  const authorities = mapOrEmpty(gateway.data)['ca.crt']
  const addedAt = new Date(gateway.metadata.annotations?.[kymaNames.annotations.caAddedToBundleAt] ?? 0)
  return authorities ? { authorities: String(authorities), addedAt } : undefined
}

type Judging = { readonly listener: Listener | undefined; readonly names: readonly string[] }

const currentIn = (secret: KubeObject, { listener, names }: Judging): { current?: RuntimeCertificate } => {
  const found = tlsCertificate(secret)
  if (found === undefined) return {}
  const [newest] = certificatesIn(Buffer.from(listener?.authorities ?? '', 'base64').toString())
  const isOfNewest = newest !== undefined && hasIssued(newest, found)
  const commonName = String(found.toLegacyObject().subject?.CN ?? '')
  const lacks = names.filter(name => !isGoodFor(found, name))
  return { current: { ...lifetimeOf(found), commonName, lacks, isOfNewest } }
}

/** All Kymas, because the trusted CAs of the listener affect every runtime. */
export const allKymas = async (_: KubeObject, { reads }: Pick<GatherContext, 'reads'>): Promise<Key[]> =>
  (await reads.list({ ...kymas, metadataOnly: true, fromCache: true })).map(keyOf)

const kymas = { ...kymaKind, namespace: kymaNames.namespaces.controlPlane }
