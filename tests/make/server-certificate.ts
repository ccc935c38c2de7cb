// Certificates for servers, as Secrets hold them.
import { issueCertificates } from '../../shared/outside/certificates.ts'

/** `tls.crt` and `tls.key`, PEM. */
export const serverCertificate = async (): Promise<{ 'tls.crt': string; 'tls.key': string }> => {
  const names = { commonName: 'x', names: ['x'], authorityDays: 900, servingDays: 90 }
  const data = await issueCertificates({ renew: ['authority', 'serving'], ...names }, undefined)
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString()
  return { 'tls.crt': text('tls.crt'), 'tls.key': text('tls.key') }
}
