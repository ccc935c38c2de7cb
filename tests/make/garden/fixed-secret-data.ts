// The content of generated Secrets in worlds that need none of their own: always the same, made at once, and whole. One authority
// signed the one certificate; the name before it tells the authorities of different Secrets apart.
import { encodedTexts, type SecretRecipe } from '../../../shared/core/objects/secret-text.ts'

/** In base64, by key. */
export const fixedSecretData = (recipe: SecretRecipe): Record<string, string> => encodedTexts(textsOf(recipe))

const textsOf = (recipe: SecretRecipe): Readonly<Record<string, string>> => {
  switch (recipe.make) {
    case 'authority':
      return { 'ca.crt': `# ${recipe.commonName}\n${authorityCertificate}`, 'ca.key': authorityKey }
    case 'certificate':
      return { 'tls.crt': leafCertificate, 'tls.key': leafKey }
    case 'rsaKey':
      return { id_rsa: leafKey }
    case 'encryptionKey':
      return {
        provider: recipe.provider,
        key: recipe.keyName,
        encoding: 'none',
        secret: '0123456789abcdef0123456789abcdef',
      }
    case 'staticToken':
      return { 'static_tokens.csv': `${'t'.repeat(128)},${recipe.user},${recipe.user},` }
    case 'basicAuth':
      return { username: recipe.user, password: 'a fixed password', auth: `${recipe.user}:a fixed hash` }
    case 'given':
      return recipe.texts
    case 'copy':
      throw new TypeError('nothing is adopted here')
  }
}

const authorityCertificate = `-----BEGIN CERTIFICATE-----
MIIBYDCCAQagAwIBAgIQZYUmTzPuPQ3i9VZ0iM2m7zAKBggqhkjOPQQDAjAQMQ4w
DAYDVQQDEwVmaXhlZDAeFw0yNjExMjMxMTM5MTRaFw0yNzExMjMxMjM5MTRaMBAx
DjAMBgNVBAMTBWZpeGVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKDecVIIR
7CkVhljUvFIEMfZCuyH9cTqmiru9rAM4WVd/8qigszDXqaaVHZqWY+og1och2dQr
5n+mGv7T9zXv2aNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAYYw
HQYDVR0OBBYEFHoW4xsU71ZaxYbjYsIDX/A4WfKVMAoGCCqGSM49BAMCA0gAMEUC
IQChHTcWdPcA+panNv4cr4AtLQeWtUwHfxCEKB9SfA049gIgL1cFDwV89vWyaiEC
nq5cxfBi//Q4g0Wr+RygvTqRvME=
-----END CERTIFICATE-----
`

const authorityKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgt+Oci4UOspTI1Mhk
9mp9+z4pFeUn3SrzqI9lBKWaAr2hRANCAAQoN5xUghHsKRWGWNS8UgQx9kK7If1x
OqaKu72sAzhZV3/yqKCzMNepppUdmpZj6iDWhyHZ1Cvmf6Ya/tP3Ne/Z
-----END PRIVATE KEY-----
`

const leafCertificate = `-----BEGIN CERTIFICATE-----
MIIBojCCAUmgAwIBAgIRAK/Pro/kf8Zjh95Rn8bXpWswCgYIKoZIzj0EAwIwEDEO
MAwGA1UEAxMFZml4ZWQwHhcNMjYwMTAxMDAwMDAwWhcNMzYwMTAxMDAwMDAwWjAV
MRMwEQYDVQQDEwpmaXhlZC1sZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
MdP5zDoSUy5DCtOWGRdZGNEaY1wzG6XY6AgfmZCuigb0uDdJRXMvHOsRxVxrJ+K6
l/xQplW7P+YCAJpHIO714qN/MH0wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMC
B4AwHQYDVR0lBBYwFAYIKwYBBQUHAwEGCCsGAQUFBwMCMB8GA1UdIwQYMBaAFHoW
4xsU71ZaxYbjYsIDX/A4WfKVMB0GA1UdDgQWBBQT/hq1FQE8i4sC303Dy02GP2iY
0DAKBggqhkjOPQQDAgNHADBEAiAudxIyDkQJGJbLG9rpbYWbFLSHhK3nz5Z9D8wy
55E79wIgThYRGNGVf1VaTG7xmxgNqR2FthRWN/uH9qAevQPtX6U=
-----END CERTIFICATE-----
`

const leafKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpL668/2a4yIRv81K
xx8fI7J9qgUcMnOwQb1/1oKatLuhRANCAAQx0/nMOhJTLkMK05YZF1kY0RpjXDMb
pdjoCB+ZkK6KBvS4N0lFcy8c6xHFXGsn4rqX/FCmVbs/5gIAmkcg7vXi
-----END PRIVATE KEY-----
`
