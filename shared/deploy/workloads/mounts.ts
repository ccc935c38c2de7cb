// What Pods find in their file system besides the image.
import { certificateSecretName, tokenAudience } from '../manifests/conventions.ts'

export type Mount = { readonly name: string; readonly folder: string; readonly source: object }

/** The token that hosts and relays show each other. The kubelet renews it; programs read the file for every call. */
export const tokenMount: Mount = {
  name: 'token',
  folder: '/var/run/secrets/espalier',
  source: {
    projected: {
      sources: [{ serviceAccountToken: { audience: tokenAudience, path: 'token', expirationSeconds: 3600 } }],
    },
  },
}

/** Some files of the certificate Secret, never the authority's key. As long as there is no Secret, the Pod waits for it. */
export const certificateMount = (folder: string, files: readonly ('ca.crt' | 'tls.crt' | 'tls.key')[]): Mount => ({
  name: 'certificate',
  folder,
  source: { secret: { secretName: certificateSecretName, items: files.map(file => ({ key: file, path: file })) } },
})

export const configMount = (name: string, folder: string): Mount => ({ name, folder, source: { configMap: { name } } })

export const volume = ({ name, source }: Mount) => ({ name, ...source })

export const volumeMount = ({ name, folder }: Mount) => ({ name, mountPath: folder, readOnly: true })
