// Signatures that are the same for the same key and bytes. RSA and Ed25519 are so by definition; ECDSA gets its nonce
// from a hash of key and message instead of from chance.
import { createECDH, createHash, createHmac, type KeyObject, sign } from 'node:crypto'
import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { Failure } from '../run/failure.ts'
import { fromBytes, integersDer, inverse, toBytes } from './big-numbers.ts'

type Signer = {
  readonly algorithm: AlgorithmIdentifier
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

type Curve = { readonly digest: string; readonly oid: string; readonly order: bigint }

const curves: Readonly<Record<string, Curve>> = {
  prime256v1: {
    digest: 'sha256',
    oid: '1.2.840.10045.4.3.2',
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  secp384r1: {
    digest: 'sha384',
    oid: '1.2.840.10045.4.3.3',
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  secp521r1: {
    digest: 'sha512',
    oid: '1.2.840.10045.4.3.4',
    order: BigInt(
      '0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
    ),
  },
}

const sha256WithRsa = '1.2.840.113549.1.1.11'
const ed25519 = '1.3.101.112'
/** An explicit NULL, the parameters in RSA's identifier. */
const noParameters = Uint8Array.of(5, 0).buffer

export const signerOf = (key: KeyObject): Signer => {
  if (key.asymmetricKeyType === 'rsa') {
    return {
      algorithm: new AlgorithmIdentifier({ algorithm: sha256WithRsa, parameters: noParameters }),
      sign: bytes => sign('sha256', bytes, key),
    }
  }
  if (key.asymmetricKeyType === 'ed25519') {
    return { algorithm: new AlgorithmIdentifier({ algorithm: ed25519 }), sign: bytes => sign(null, bytes, key) }
  }
  const name = key.asymmetricKeyDetails?.namedCurve ?? ''
  const curve = Object.hasOwn(curves, name) ? curves[name] : undefined
  if (curve === undefined)
    throw new Failure('error creating certificate: x509: only RSA, ECDSA and Ed25519 keys supported')
  return {
    algorithm: new AlgorithmIdentifier({ algorithm: curve.oid }),
    sign: bytes => ecdsa({ name, ...curve }, key, bytes),
  }
}

const ecdsa = ({ name, digest, order }: Curve & { name: string }, key: KeyObject, bytes: Uint8Array): Uint8Array => {
  const length = toBytes(order).length
  const secret = fromBytes(Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url'))
  const hash = createHash(digest).update(bytes).digest()
  const nonce = (fromBytes(stretched(toBytes(secret, length), hash)) % (order - 1n)) + 1n
  const point = createECDH(name)
  point.setPrivateKey(toBytes(nonce, length))
  const r = fromBytes(point.getPublicKey().subarray(1, 1 + length)) % order
  const s = (inverse(nonce, order) * (fromBytes(hash) + r * secret)) % order
  return integersDer([r, s])
}

/** More bytes than any curve's order, so that every remainder is almost equally likely. */
const stretched = (secret: Uint8Array, hash: Uint8Array): Uint8Array =>
  Buffer.concat([0, 1].map(part => createHmac('sha512', secret).update(hash).update(Uint8Array.of(part)).digest()))
