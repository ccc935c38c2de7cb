// A Kyma whose runtime gets a certificate, then a domain; the certificate is lost, and what the listener trusts changes.
import { X509Certificate } from 'node:crypto'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { issueCertificates } from '../../../shared/outside/certificates.ts'
import { kyma } from '../../make/kyma/kyma.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'istio-system'
const theKyma: ObjectRef = { ...kymaKind, namespace: 'kcp-system', name: 'faulty-kyma' }
const secretNamed = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Secret', namespace, name })
const [root, gateway, own] = ['klm-watcher', 'klm-istio-gateway', 'faulty-kyma-webhook-tls'].map(secretNamed) as [
  ObjectRef,
  ObjectRef,
  ObjectRef,
]

const authority = await issueCertificates(
  {
    renew: ['authority', 'serving'],
    commonName: 'klm-watcher',
    names: ['x'],
    authorityDays: 730,
    servingDays: 90,
  },
  undefined,
)

const secret = ({ apiVersion, kind, name }: ObjectRef, data: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { namespace, name },
  data,
})

const textIn = (object: KubeObject, file: string): string =>
  Buffer.from(String(mapOrEmpty(object.data)[file] ?? ''), 'base64').toString()

/** Keys and certificates are random: what counts is whom a certificate names, and that the same is trusted. */
const masked = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.map(object => {
    const pem = textIn(object, 'tls.crt')
    if (object.kind !== 'Secret' || object.metadata.name !== own.name) return object
    const { subject = '', subjectAltName = '' } = pem ? new X509Certificate(pem) : {}
    const files = Object.keys(mapOrEmpty(object.data)).sort()
    return { ...object, data: { files, subject, subjectAltName, trusted: mapOrEmpty(object.data)['ca.crt'] } }
  })

type Masked = { files: readonly string[]; subjectAltName: string; trusted: string }

const certified =
  (isNamed: boolean, trusted = authority['ca.crt']): Stage['faults'] =>
  objects => {
    const found = objects.find(({ metadata }) => metadata.name === own.name)?.data as Masked | undefined
    const isAsDesired =
      found?.files.join() === 'ca.crt,tls.crt,tls.key' &&
      found.subjectAltName.includes('one.example.com') === isNamed &&
      found.trusted === trusted
    return isAsDesired ? [] : [`the runtime has ${JSON.stringify(found)}`]
  }

const more = Buffer.from(`${textIn(secret(root, authority), 'ca.crt')}\n`).toString('base64')

export const scenarios: readonly Scenario[] = [
  {
    title: 'a runtime is certified, named and certified again',
    key: { namespace: 'kcp-system', name: theKyma.name },
    crds: ['operator.kyma-project.io_kymas.yaml'],
    namespaces: [namespace, 'kcp-system'],
    observes: [
      { ...kymaKind, namespace: 'kcp-system' },
      ...[root, gateway, own].map(({ apiVersion, kind, name }) => ({
        apiVersion,
        kind,
        namespace,
        fieldSelector: `metadata.name=${name}`,
      })),
    ],
    masked,
    dependent: own,
    rivalry: { leaves: ['status'] },
    stages: [
      {
        title: 'an authority, a listener, a Kyma',
        change: async people => {
          await people.create(secret(root, authority))
          await people.create(secret(gateway, { 'ca.crt': authority['ca.crt'] }))
          await people.create(kyma({ metadata: { name: theKyma.name } }))
        },
        faults: certified(false),
      },
      {
        title: 'the runtime gets a domain',
        change: people => people.change(theKyma, { metadata: { annotations: { 'skr-domain': 'one.example.com' } } }),
        faults: certified(true),
      },
      {
        title: 'the certificate is deleted',
        change: people => people.delete(own),
        faults: certified(true),
      },
      {
        title: 'the listener trusts what it did, spelt otherwise',
        change: people => people.change(gateway, { data: { 'ca.crt': more } }),
        faults: certified(true, more),
      },
    ],
  },
]
