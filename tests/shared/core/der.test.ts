import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { bits, integer, objectId, octets, sequence, tlv, utf8, x509Time } from '../../../shared/core/tls/der.ts'

const hex = (value: Buffer): string => value.toString('hex')

t.test('a value is its tag, its length and its content', async t => {
  t.equal(hex(sequence(integer(Uint8Array.of(0x81)), utf8('a'))), '300702020081' + '0c0161')
  t.equal(hex(integer(Uint8Array.of(0x7f))), '02017f')
  t.equal(hex(octets(new Uint8Array())), '0400')
  t.equal(hex(bits(Uint8Array.of(0xa0), 5)), '030205a0')
  t.equal(hex(objectId('1.2.840.10045.2.1')), '06072a8648ce3d0201')
})

t.test('a length beyond 127 is told in as many bytes as it takes', async t => {
  const cases: [length: number, head: string][] = [
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
    [65_536, '0483010000'],
  ]
  for (const [length, head] of cases) {
    const value = tlv(0x04, new Uint8Array(length))
    t.equal(hex(value.subarray(0, head.length / 2)), head)
    t.equal(value.length, head.length / 2 + length)
  }
})

t.test('a time has two digits for its year until 2049, and four from then on', async t => {
  t.equal(x509Time(new Date('2049-12-31T23:59:59.900Z')).toString('latin1', 2), '491231235959Z')
  t.equal(x509Time(new Date('2050-01-01T00:00:00Z')).toString('latin1', 2), '20500101000000Z')
})

t.test('what is made of them is read by OpenSSL', async t => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Uint8Array.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const algorithm = sequence(objectId('1.2.840.10045.2.1'), objectId('1.2.840.10045.3.1.7'))
  const key = createPublicKey({ key: sequence(algorithm, bits(point)), format: 'der', type: 'spki' })
  t.ok(key.equals(publicKey))
})
