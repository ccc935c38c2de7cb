// Signatures of component descriptors: the texts that are signed stand here in full, and openssl signs them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { normalisedText } from '../../../shared/kyma/modules/normal-forms.ts'
import { signatureFault } from '../../../shared/kyma/modules/signature.ts'
import { contains, lacks } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'

const folder = testFolder(t)
const openssl = (...args: readonly string[]): Buffer => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
const file = (name: string): Buffer => readFileSync(join(folder, name))

openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', 'private.pem')
openssl('rsa', '-in', 'private.pem', '-pubout', '-out', 'pkix.pem')
openssl('rsa', '-in', 'private.pem', '-pubout', '-outform', 'DER', '-out', 'pkix.der')
openssl('rsa', '-in', 'private.pem', '-RSAPublicKey_out', '-out', 'pkcs1.pem')
openssl('rsa', '-in', 'private.pem', '-RSAPublicKey_out', '-outform', 'DER', '-out', 'pkcs1.der')

const digest = { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'genericBlobDigest/v1', value: 'abc' }
const component = {
  name: 'kyma-project.io/module/telemetry',
  version: '1.2.3',
  provider: 'kyma-project.io',
  labels: [
    { name: 'signed', value: { b: 2, a: 1 }, signing: true, version: 'v1', mergeAlgorithm: {} },
    { name: 'unsigned', value: 1 },
  ],
  repositoryContexts: [{ type: 'OCIRegistry', baseUrl: 'registry.example' }],
  resources: [
    {
      name: 'raw-manifest',
      relation: 'local',
      type: 'yaml',
      version: '1.2.3',
      digest,
      access: { type: 'localBlob' },
      srcRefs: [],
      labels: [{ name: 'unsigned', value: 1 }],
    },
    { name: 'nothing', type: 'blob', version: '1.2.3', digest, access: { type: 'none' }, extraIdentity: { os: 'any' } },
    { name: 'nowhere', type: 'blob', version: '1.2.3', digest, access: { type: 'None' } },
  ],
  sources: [{ name: 'source', type: 'git', version: '1', access: { type: 'gitHub' } }],
  componentReferences: [
    { name: 'other', componentName: 'example.org/other', version: '1.0.0', labels: [{ name: 'unsigned', value: 1 }] },
  ],
}
const document: JsonMap = { meta: { schemaVersion: 'v2' }, component, signatures: [], nestedDigests: [] }

const digestText = '"digest":{"hashAlgorithm":"SHA-256","normalisationAlgorithm":"genericBlobDigest/v1","value":"abc"}'
const digestEntries =
  '{"digest":[{"hashAlgorithm":"SHA-256"},{"normalisationAlgorithm":"genericBlobDigest/v1"},{"value":"abc"}]}'
const texts = {
  'jsonNormalisation/v1': [
    '[{"component":[',
    '{"componentReferences":[[{"componentName":"example.org/other"},{"extraIdentity":null},{"name":"other"},{"version":"1.0.0"}]]},',
    '{"labels":[[{"name":"signed"},{"signing":true},{"value":[{"a":1},{"b":2}]},{"version":"v1"}]]},',
    '{"name":"kyma-project.io/module/telemetry"},{"provider":"kyma-project.io"},',
    `{"resources":[[${digestEntries},{"extraIdentity":null},{"name":"raw-manifest"},{"relation":"local"},{"type":"yaml"},{"version":"1.2.3"}],`,
    '[{"extraIdentity":[{"os":"any"}]},{"name":"nothing"},{"type":"blob"},{"version":"1.2.3"}],',
    '[{"extraIdentity":null},{"name":"nowhere"},{"type":"blob"},{"version":"1.2.3"}]]},',
    '{"version":"1.2.3"}]},{"meta":[{"schemaVersion":"v2"}]}]',
  ].join(''),
  'jsonNormalisation/v3': [
    '{"component":{"componentReferences":[{"componentName":"example.org/other","labels":[{"name":"unsigned","value":1}],',
    '"name":"other","version":"1.0.0"}],"labels":[{"name":"signed","signing":true,"value":{"a":1,"b":2},"version":"v1"}],',
    '"name":"kyma-project.io/module/telemetry","provider":{"name":"kyma-project.io"},',
    `"resources":[{${digestText},"name":"raw-manifest","relation":"local","type":"yaml","version":"1.2.3"},`,
    '{"extraIdentity":{"os":"any"},"name":"nothing","type":"blob","version":"1.2.3"},',
    '{"name":"nowhere","type":"blob","version":"1.2.3"}],',
    '"sources":[{"name":"source","type":"git","version":"1"}],"version":"1.2.3"}}',
  ].join(''),
} as const

t.test('KY-36 the normal forms leave out what may change after signing', async t => {
  for (const [algorithm, text] of Object.entries(texts)) t.equal(normalisedText(document, algorithm), text, algorithm)
  for (const algorithm of ['jsonNormalisation/v2', 'jsonNormalisation/v4alpha1'])
    t.equal(normalisedText(document, algorithm), texts['jsonNormalisation/v3'], algorithm)
  t.equal(normalisedText(document, 'jsonNormalisation/v9'), undefined)
  t.equal(normalisedText(document, 'toString'), undefined)
  const bare = { meta: {}, component: { name: 'a', version: '1', provider: { name: 'p', labels: [{ name: 'x' }] } } }
  const empty =
    '{"component":{"componentReferences":[],"name":"a","provider":{"name":"p"},"resources":[],"sources":[],"version":"1"}}'
  t.equal(normalisedText(bare, 'jsonNormalisation/v3'), empty)
  const provider = '{"name":"p","labels":[{"name":"x"},{"name":"y","value":1,"signing":true}]}'
  const labelled = { meta: {}, component: { ...bare.component, provider } }
  const told = '"provider":{"labels":[{"name":"y","signing":true,"value":1}],"name":"p"}'
  contains(t, normalisedText(labelled, 'jsonNormalisation/v3') ?? '', told)
  const entries = '{"provider":[{"labels":[[{"name":"y"},{"signing":true},{"value":1}]]},{"name":"p"}]}'
  contains(t, normalisedText(labelled, 'jsonNormalisation/v1') ?? '', entries)
})

const ociDigest = { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'ociArtifactDigest/v1' }
const blobDigest = { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'genericBlobDigest/v1' }
const demo = {
  meta: { schemaVersion: 'v2' },
  component: {
    componentReferences: [],
    creationTime: '2025-03-18T11:23:20Z',
    name: 'ocm.software/demos/podinfo',
    provider: 'ocm.software',
    repositoryContexts: [{ baseUrl: 'ghcr.io' }],
    sources: [],
    version: '6.8.0',
    resources: [
      {
        access: { type: 'ociArtifact' },
        name: 'image',
        relation: 'external',
        type: 'ociImage',
        version: '6.8.0',
        digest: { ...ociDigest, value: '6c1975b871efb327528c84d46d38e6dd7906eecee6402bc270eeb7f1b1a506df' },
      },
      {
        access: { type: 'ociArtifact' },
        name: 'chart',
        relation: 'external',
        type: 'helmChart',
        version: '6.8.0',
        digest: { ...ociDigest, value: '2360bdf32ddc50c05f8e128118173343b0a012a338daf145b16e0da9c80081a4' },
      },
    ],
  },
}
const helloWorld = {
  component: {
    name: 'github.com/acme.org/helloworld',
    version: '1.0.0',
    provider: 'acme.org',
    resources: [
      {
        access: { type: 'localBlob' },
        name: 'mylocalfile',
        relation: 'local',
        type: 'blob',
        version: '1.0.0',
        digest: { ...blobDigest, value: '70a2577d7b649574cbbba99a2f2ebdf27904a4abf80c9729923ee67ea8d2d9d8' },
      },
      {
        access: { type: 'ociArtifact' },
        name: 'image',
        relation: 'external',
        type: 'ociImage',
        version: '1.0.0',
        digest: { ...blobDigest, value: '262578cde928d5c9eba3bce079976444f624c13ed0afb741d90d5423877496cb' },
      },
    ],
  },
}

/** As ocm.software shows these components, with the digests that its own tool has put into their signatures. */
const published: readonly [JsonMap, algorithm: string, digest: string][] = [
  [demo, 'jsonNormalisation/v3', '76082d5a6398c7f0d62bc614ec7857dc0ceb93e8cf0a36cbdeb963eddad0707f'],
  [helloWorld, 'jsonNormalisation/v4alpha1', '91dd197868907487e62872695db1fa7b397fde300bcbae23e24abc188fb147ad'],
]

t.test('KY-36 the digests are those that the tool of the Open Component Model computes', async t => {
  for (const [document, algorithm, digest] of published) {
    const text = normalisedText(document, algorithm) ?? ''
    t.equal(createHash('sha256').update(text).digest('hex'), digest, algorithm)
  }
})

t.test(
  'KY-36 in versions 1 and 2 resources of one identity are told apart by their versions, but the last',
  async t => {
    const resources = ['1', '2', '3'].map(version => ({ name: 'twice', type: 't', version }))
    const twice = {
      component: { name: 'a', version: '1', provider: 'p', resources: [...resources, { name: 'once', version: '1' }] },
    }
    const told = (version: string) =>
      `{"extraIdentity":{"version":"${version}"},"name":"twice","type":"t","version":"${version}"}`
    const last = '{"name":"twice","type":"t","version":"3"}'
    const text = `"resources":[${told('1')},${told('2')},${last},{"name":"once","version":"1"}]`
    contains(t, normalisedText(twice, 'jsonNormalisation/v2') ?? '', text)
    const first = normalisedText(twice, 'jsonNormalisation/v1') ?? ''
    t.equal(first.split('{"extraIdentity":[{"version":').length, 3)
    t.equal(first.split('{"extraIdentity":null}').length, 3)
    lacks(t, normalisedText(twice, 'jsonNormalisation/v3') ?? '', 'extraIdentity')
  },
)

type How = {
  normalisation?: keyof typeof texts
  hash?: 'sha256' | 'sha512'
  isPss?: boolean
  isPem?: boolean
  /** Behind the media type of a signature in hex: newer tools tell the padding there. */
  plainSuffix?: '' | '.pss'
}

/** The document, signed by openssl. */
const signed = ({
  normalisation = 'jsonNormalisation/v1',
  hash = 'sha256',
  isPss = false,
  isPem = false,
  plainSuffix = '',
}: How = {}): JsonMap => {
  writeFileSync(join(folder, 'text'), texts[normalisation])
  const pss = isPss ? ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:-1'] : []
  const bytes = openssl('dgst', `-${hash}`, ...pss, '-sign', 'private.pem', 'text')
  const algorithm = isPss ? 'RSASSA-PSS' : 'RSASSA-PKCS1-V1_5'
  const pem = `-----BEGIN SIGNATURE-----\nSignature Algorithm: ${algorithm}\n\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END SIGNATURE-----\n`
  const signature = isPem
    ? { algorithm, mediaType: 'application/x-pem-file', value: pem }
    : { algorithm, mediaType: `application/vnd.ocm.signature.rsa${plainSuffix}`, value: bytes.toString('hex') }
  const digest = {
    hashAlgorithm: hash === 'sha256' ? 'SHA-256' : 'SHA-512',
    normalisationAlgorithm: normalisation,
    value: createHash(hash).update(texts[normalisation]).digest('hex'),
  }
  return { ...document, signatures: [{ name: 'other' }, { name: 'release', digest, signature }] }
}

const secret = (key: Buffer | undefined, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', namespace: 'kcp-system', labels },
  data: { ...(key && { key: key.toString('base64') }) },
})
const faultOf = (document: JsonMap, ...secrets: readonly KubeObject[]): string | undefined =>
  signatureFault(document, { name: 'release', module: 'telemetry', secrets })
const good = secret(file('pkix.pem'))

t.test('KY-36 each algorithm and each spelling of a signature is verified', async t => {
  for (const normalisation of Object.keys(texts) as (keyof typeof texts)[])
    for (const hash of ['sha256', 'sha512'] as const)
      for (const isPss of [false, true])
        for (const isPem of [false, true]) {
          const how = { normalisation, hash, isPss, isPem }
          t.equal(faultOf(signed(how), good), undefined, JSON.stringify(how))
        }
  t.equal(faultOf(signed({ isPss: true, plainSuffix: '.pss' }), good), undefined, 'as the newest tool writes it')
})

t.test('KY-37 what was altered, or signed by another, does not count', async t => {
  const whole = signed()
  const changed = { ...whole, component: { ...component, version: '1.2.4' } }
  t.equal(faultOf(changed, good), 'the descriptor was changed after it was signed')
  const [, entry] = whole.signatures as [unknown, { digest: JsonMap; signature: JsonMap }]
  const text = normalisedText(changed, 'jsonNormalisation/v1') ?? ''
  const value = createHash('sha256').update(text).digest('hex')
  const forged = { ...changed, signatures: [{ ...entry, digest: { ...entry.digest, value } }] }
  t.equal(faultOf(forged, good), 'no public key matches the signature release', 'a digest that fits is not a signature')
  openssl('genrsa', '-out', 'other.pem', '2048')
  openssl('rsa', '-in', 'other.pem', '-pubout', '-out', 'other-pkix.pem')
  const other = secret(file('other-pkix.pem'))
  t.equal(faultOf(whole, other), 'no public key matches the signature release')
  t.equal(faultOf(whole, other, good), undefined, 'one key that fits is enough')
  t.equal(faultOf(document, good), 'no signature was found')
  const noSecret = 'no Secret with its public key exists (label operator.kyma-project.io/signature=release)'
  t.equal(faultOf(whole), noSecret)
  const ofModule = (module: string) => secret(file('pkix.pem'), { 'operator.kyma-project.io/module-name': module })
  t.equal(faultOf(whole, ofModule('keda')), noSecret)
  t.equal(faultOf(whole, ofModule('telemetry')), undefined)
  const odd = (change: JsonMap, signature: JsonMap = {}): JsonMap => ({
    ...whole,
    signatures: [{ ...entry, digest: { ...entry.digest, ...change }, signature: { ...entry.signature, ...signature } }],
  })
  t.equal(faultOf(odd({ hashAlgorithm: 'MD5' }), good), 'the hash "MD5" is not known')
  t.equal(faultOf(odd({ normalisationAlgorithm: 'none' }), good), 'the normalisation "none" is not known')
  t.equal(faultOf(odd({}, { algorithm: 'none' }), good), 'the algorithm "none" is not known')
  t.equal(faultOf(odd({}, { value: 'xyz' }), good), 'the signature cannot be read')
  t.equal(faultOf(odd({}, { mediaType: 'text/plain' }), good), 'the signature cannot be read')
})

t.test('KY-202 keys are read in four forms, and what is no public RSA key is named with its Secret', async t => {
  for (const name of ['pkix.pem', 'pkix.der', 'pkcs1.pem', 'pkcs1.der'])
    t.equal(faultOf(signed(), secret(file(name))), undefined, name)
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ec.pem')
  openssl('ec', '-in', 'ec.pem', '-pubout', '-out', 'ec-public.pem')
  openssl('pkcs8', '-topk8', '-nocrypt', '-in', 'private.pem', '-outform', 'DER', '-out', 'private.der')
  const cases: [key: Buffer | undefined, fault: string][] = [
    [undefined, 'has no key "key"'],
    [file('private.pem'), 'contains a private key instead of a public key'],
    [file('private.der'), 'contains a private key instead of a public key'],
    [file('ec-public.pem'), 'contains no RSA key'],
    [Buffer.from('hello'), 'contains no public key'],
  ]
  for (const [key, fault] of cases) t.equal(faultOf(signed(), secret(key)), `Secret kcp-system/key ${fault}`)
})
