// Loads reflect-metadata.ts before @peculiar/x509, which needs it. A separate file, so that it can be imported on first use.
import './reflect-metadata.ts'

import type { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

export { x509 }

type Leaf = {
  readonly names: readonly string[]
  readonly uses: readonly ('server' | 'client')[]
  readonly issuer: x509.X509Certificate
  readonly publicKey: webcrypto.CryptoKey
}

export const leafExtensions = async ({ names, uses, issuer, publicKey }: Leaf): Promise<x509.Extension[]> => [
  new x509.BasicConstraintsExtension(false, undefined, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
  new x509.ExtendedKeyUsageExtension(uses.map(use => x509.ExtendedKeyUsage[`${use}Auth`])),
  ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names.map(alternativeName))] : []),
  await x509.AuthorityKeyIdentifierExtension.create(issuer),
  await x509.SubjectKeyIdentifierExtension.create(publicKey),
]

const alternativeName = (value: string) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })
