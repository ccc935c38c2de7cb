// cert-manager, its real controllers, issues the certificates by which a runtime and the listener know each other, on a real control
// plane. Its authority is renewed while the agent tells one event after the other.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import type { JsonMap } from '../../shared/core/json/json.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { certificatesIn, hasIssued } from '../../shared/core/tls/certificate.ts'
import { define } from '../harness/clusters/test-definitions.ts'
import { partPath, partRelease } from '../harness/control-plane/binaries.ts'
import { startLifelined } from '../harness/processes/bound-processes.ts'
import { eventually } from '../harness/until.ts'
import { kyma, watcher } from '../make/kyma/kyma.ts'
import { kymaInstallation } from './kyma-installation.ts'

const eventMilliseconds = 100
const certificates = kymaNames.namespaces.certificates
const person = { fieldManager: 'person' }

const installed = await kymaInstallation(t)
const { plane, runtime } = installed

const definitions = partPath('cert-manager', 'deploy/crds')
for (const file of globSync('*.yaml', { cwd: definitions }))
  for (const document of parseAllDocuments(readFileSync(join(definitions, file), 'utf8')))
    await define(plane, document.toJS() as KubeObject)
const certManager = startLifelined({
  program: partPath('cert-manager'),
  args: ['--kubeconfig', installed.kubeconfigFile],
  stdio: ['ignore', 'ignore', 'ignore'],
})
t.teardown(() => certManager.end('SIGTERM'))
await installed.start()
t.comment(`cert-manager ${partRelease('cert-manager')}`)

const certManagerKind = (kind: string, name: string, spec: JsonMap): KubeObject => ({
  apiVersion: 'cert-manager.io/v1',
  kind,
  metadata: { name, namespace: certificates },
  spec,
})

/** An authority that signs itself, shown by the listener too, and whoever it signs for: as Kyma's documentation has it. */
const authority = [
  certManagerKind('Issuer', 'klm-watcher-root', { selfSigned: {} }),
  certManagerKind('Certificate', 'klm-watcher-serving', {
    commonName: 'klm-watcher-selfsigned-ca',
    secretName: 'klm-watcher',
    isCA: true,
    ipAddresses: ['127.0.0.1'],
    dnsNames: ['localhost'],
    issuerRef: { kind: 'Issuer', name: 'klm-watcher-root' },
    privateKey: { algorithm: 'RSA', size: 2048, rotationPolicy: 'Always' },
  }),
  certManagerKind('Issuer', 'klm-watcher-selfsigned', { ca: { secretName: 'klm-watcher' } }),
]

/** What cmctl does: the certificate is to be issued again. */
const renew = async (name: string): Promise<void> => {
  const certificate = await plane.get({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    namespace: certificates,
    name,
  })
  const { conditions = [] } = (certificate?.status ?? {}) as { conditions?: JsonMap[] }
  const issuing = { type: 'Issuing', status: 'True', reason: 'ManuallyTriggered', message: 'renewed by hand' }
  const lastTransitionTime = new Date().toISOString()
  const body = { status: { conditions: [...conditions, { ...issuing, lastTransitionTime }] } }
  const ref = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', namespace: certificates, name }
  await plane.patch(ref, { type: 'merge', body }, { ...person, subresource: 'status' })
}

const certificatesOf = (secret: KubeObject | undefined, file: string) =>
  certificatesIn(Buffer.from(String((secret?.data as JsonMap | undefined)?.[file] ?? ''), 'base64').toString())
const secretIn = (client: typeof plane, namespace: string, name: string) =>
  client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name })

const gateway = () => secretIn(plane, certificates, 'klm-istio-gateway')
const root = async () => certificatesOf(await secretIn(plane, certificates, 'klm-watcher'), 'tls.crt')[0]
const agents = async () => certificatesOf(await secretIn(runtime, 'kyma-system', 'skr-webhook-tls'), 'tls.crt')[0]

/** Whether this authority has signed the certificate that the agent shows. */
const isOf = async (issuer: Awaited<ReturnType<typeof root>>): Promise<boolean> => {
  const shown = await agents()
  return issuer !== undefined && shown !== undefined && hasIssued(issuer, shown)
}

let isOver = false
/** The owner of the runtime edits the copy again and again. */
const edits = async (): Promise<void> => {
  const copy = { ...kymaKind, namespace: 'kyma-system', name: 'default' }
  for (let turn = 0; !isOver; turn++) {
    const channel = turn % 2 === 0 ? 'fast' : 'regular'
    await runtime.patch(copy, { type: 'merge', body: { spec: { channel } } }, person)
    await wait(eventMilliseconds)
  }
}

t.test('KY-148 cert-manager issues the certificate of the runtime, and the agent tells events with it', async t => {
  for (const object of authority) await plane.create(object, person)
  await eventually('there is an authority', async () => (await root()) !== undefined)
  const spec = { labelsToWatch: { [kymaNames.labels.watchedBy]: 'kyma' } }
  await plane.create(
    watcher({ metadata: { labels: { [kymaNames.labels.managedBy]: 'lifecycle-manager' } }, spec }),
    person,
  )
  await plane.create(
    kyma({
      metadata: {
        name: 'outpost',
        labels: { [kymaNames.labels.runtimeId]: 'runtime-7' },
        annotations: { 'skr-domain': 'outpost.example.com' },
      },
    }),
    person,
  )
  await installed.giveAccess('outpost')
  const first = await root()
  await eventually('the agent has a certificate of it', () => isOf(first))
  const shown = await agents()
  t.equal(shown?.subject, 'CN=runtime-7')
  for (const name of ['outpost.example.com', 'skr-webhook.kyma-system.svc']) t.ok(shown?.checkHost(name), name)
  await eventually('events are taken', async () => (await installed.events()).taken > 0)
})

t.test('KY-150 the authority is renewed, and later its certificate is shown: no event is refused', async t => {
  const first = await root()
  const serving = certificatesOf(await gateway(), 'tls.crt')[0]
  const before = await installed.events()
  const editing = edits()
  await renew('klm-watcher-serving')
  await eventually('there is another authority', async () => (await root())?.fingerprint256 !== first?.fingerprint256)
  const second = await root()
  await eventually('the agent has a certificate of it', () => isOf(second))
  const bundle = certificatesOf(await gateway(), 'ca.crt').map(({ fingerprint256 }) => fingerprint256)
  t.strictSame(bundle, [second?.fingerprint256, first?.fingerprint256], 'the new one first')
  t.equal(certificatesOf(await gateway(), 'tls.crt')[0]?.fingerprint256, serving?.fingerprint256, 'shown as before')
  await taken(100)
  const fiveDays = 5 * 86_400_000
  const annotations = { [kymaNames.annotations.caAddedToBundleAt]: new Date(Date.now() - fiveDays).toISOString() }
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: certificates, name: 'klm-istio-gateway' }
  await plane.patch(ref, { type: 'merge', body: { metadata: { annotations } } }, person)
  await eventually(
    'four days later the other certificate is shown',
    async () => certificatesOf(await gateway(), 'tls.crt')[0]?.fingerprint256 === second?.fingerprint256,
  )
  await taken(100)
  isOver = true
  await editing
  const { refused, unsent, taken: all } = await installed.events()
  t.comment(`${all - before.taken} events were taken since the renewal began`)
  t.strictSame({ refused, unsent }, { refused: before.refused, unsent: before.unsent }, 'since the renewal')
})

/** So many further events. */
const taken = async (count: number): Promise<void> => {
  const before = (await installed.events()).taken
  await eventually(`${count} further events are taken`, async () => (await installed.events()).taken >= before + count)
}
