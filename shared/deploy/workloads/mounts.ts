// The volumes that Pods mount.
import { certificateSecretName, tokenAudience } from '../manifests/conventions.ts'

export type Mount = {
  readonly name: string
  readonly folder: string
  readonly source: object
  readonly isWritable?: true
}

/** The token that the relay sends to hosts and other relays. The kubelet renews it, and the relay reads the file again for every call. */
export const tokenMount: Mount = {
  name: 'token',
  folder: '/var/run/secrets/espalier',
  source: {
    projected: {
      sources: [{ serviceAccountToken: { audience: tokenAudience, path: 'token', expirationSeconds: 3600 } }],
    },
  },
}

/** Files of the certificate Secret, without the authority's key. The Pod does not start before the Secret exists. */
export const certificateMount = (folder: string, files: readonly ('ca.crt' | 'tls.crt' | 'tls.key')[]): Mount => ({
  name: 'certificate',
  folder,
  source: { secret: { secretName: certificateSecretName, items: files.map(file => ({ key: file, path: file })) } },
})

export const configMount = (name: string, folder: string): Mount => ({ name, folder, source: { configMap: { name } } })

export const volume = ({ name, source }: Mount) => ({ name, ...source })

/** Twice what is kept there, since a new blob is written before an old one goes. */
export const blobMount: Mount = {
  name: 'blobs',
  folder: '/var/cache/espalier/blobs',
  source: { emptyDir: { sizeLimit: '512Mi' } },
  isWritable: true,
}

export const volumeMount = ({ name, folder, isWritable }: Mount) => ({
  name,
  mountPath: folder,
  ...(!isWritable && { readOnly: true }),
})
