// The volumes that Pods mount. None is an emptyDir: `kubectl drain` refuses Pods with one.
import { certificateSecretName, tokenAudience } from '../manifests/conventions.ts'

export type Mount = {
  readonly name: string
  readonly folder: string
  readonly source: object
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

type CertificateFiles = {
  readonly folder: string
  readonly files: readonly ('ca.crt' | 'tls.crt' | 'tls.key')[]
  /** The Pod starts before the Secret exists: kubelet would try a mount without its Secret again only after up to two minutes. */
  readonly optional?: true
}

/** Files of the certificate Secret, without the authority's key. */
export const certificateMount = ({ folder, files, ...rest }: CertificateFiles): Mount => ({
  name: 'certificate',
  folder,
  source: {
    secret: { secretName: certificateSecretName, items: files.map(file => ({ key: file, path: file })), ...rest },
  },
})

export const configMount = (name: string, folder: string): Mount => ({ name, folder, source: { configMap: { name } } })

export const volume = ({ name, source }: Mount) => ({ name, ...source })

export const volumeMount = ({ name, folder }: Mount) => ({ name, mountPath: folder, readOnly: true })
