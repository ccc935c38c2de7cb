// Functions that make keys and certificates. They use bytes of `draw`, not random bytes, and the start of the revision as time.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { addressBytes } from '../../../core/network/cidr.ts'
import { errorText } from '../../../core/text/error-text.ts'
import { type Issuer, newCertificate, type Subject } from '../certificates/certificate.ts'
import { keyPem, newKeyPem, readKey, rsaKey } from '../certificates/keys.ts'
import { formatted } from '../format/print.ts'
import { Failure } from '../run/failure.ts'
import { textOf } from '../value/bytes.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'
import { type Call, type GoValue, mapOf, Struct } from '../value/value.ts'
import { bytesFromBase64 } from './encoding.ts'

const keyBits = 2048

const certificate = (cert: string, key: string): Struct =>
  new Struct('sprig.certificate', {
    fields: mapOf([
      ['Cert', cert],
      ['Key', key],
    ]),
  })

const field = (from: Struct, name: 'Cert' | 'Key'): string => String(from.fields.get(name) ?? '')

const givenKey = (text: string, what: string): KeyObject => {
  try {
    return readKey(text)
  } catch (error) {
    if (error instanceof Failure) throw new Failure(`${what}: ${error.message}`)
    throw error
  }
}

type Wanted = { readonly subject: Subject; readonly days: number; readonly key: KeyObject }

const made = (call: Call, { subject, days, key }: Wanted, issuer: Issuer): Struct => {
  const validity = { from: new Date(Math.floor(call.environment.context.now.getTime() / 1000) * 1000), days }
  const cert = newCertificate(subject, key, { issuer, validity, serial: call.draw(16) })
  return certificate(cert, keyPem(key))
}

const selfSigned = (call: Call, wanted: Wanted): Struct =>
  made(call, wanted, { key: wanted.key, certificate: undefined })

const signed = (call: Call, wanted: Wanted, authority: Struct): Struct => {
  const certificate = readCertificate(field(authority, 'Cert'))
  const key = givenKey(field(authority, 'Key'), 'error parsing private key')
  return made(call, wanted, { key, certificate })
}

const readCertificate = (text: string): X509Certificate => {
  if (!/-----BEGIN [^-]+-----/.test(text)) throw new Failure('unable to decode certificate')
  try {
    return new X509Certificate(text)
  } catch (error) {
    throw new Failure(`error parsing certificate: decodedCert.Bytes: ${errorText(error)}`)
  }
}

const authority = (name: string): Subject => ({ name, names: [], isAuthority: true })

const server = (name: string, addresses: readonly GoValue[], hosts: readonly GoValue[]): Subject => {
  const known = addresses.map(addressOf)
  return { name, names: [...hosts.map(hostOf), ...known], isAuthority: false }
}

const addressOf = (value: GoValue): Uint8Array => {
  if (typeof value !== 'string') throw new Failure(`error parsing ip: ${formatted(value)} is not a string`)
  const bytes = addressBytes(value)
  if (bytes === undefined) throw new Failure(`error parsing ip: ${value}`)
  return bytes
}

const hostOf = (value: GoValue): string => {
  if (typeof value === 'string') return value
  throw new Failure(`error processing alternate dns name: ${formatted(value)} is not a string`)
}

const custom = (certText: string, keyText: string): Struct => {
  const [cert, key] = [decoded(certText, 'certificate'), decoded(keyText, 'private key')]
  readCertificate(cert)
  givenKey(key, 'error parsing private key')
  return certificate(cert, key)
}

const decoded = (text: string, what: string): string => {
  try {
    return textOf(bytesFromBase64(text))
  } catch (error) {
    if (error instanceof Failure) throw new Failure(`unable to decode base64 ${what}`)
    throw error
  }
}

const freshKey = (call: Call): KeyObject => rsaKey(call, keyBits)
const pemKey = (text: string): KeyObject => givenKey(text, 'parsing private key')

export const certificates: FunctionTable = {
  buildCustomCert: fn('string string', custom),
  genCA: within('string int', (call, name, days) =>
    selfSigned(call, { subject: authority(name), days, key: freshKey(call) }),
  ),
  genCAWithKey: within('string int string', (call, name, days, key) =>
    selfSigned(call, { subject: authority(name), days, key: pemKey(key) }),
  ),
  genPrivateKey: within('string', newKeyPem),
  genSelfSignedCert: within('string list list int', (call, name, ips, hosts, days) =>
    selfSigned(call, { subject: server(name, ips, hosts), days, key: freshKey(call) }),
  ),
  genSelfSignedCertWithKey: within('string list list int string', (call, name, ips, hosts, days, key) =>
    selfSigned(call, { subject: server(name, ips, hosts), days, key: pemKey(key) }),
  ),
  genSignedCert: within('string list list int certificate', (call, name, ips, hosts, days, signer) =>
    signed(call, { subject: server(name, ips, hosts), days, key: freshKey(call) }, signer),
  ),
  genSignedCertWithKey: within('string list list int certificate string', (call, name, ips, hosts, days, signer, key) =>
    signed(call, { subject: server(name, ips, hosts), days, key: pemKey(key) }, signer),
  ),
}
