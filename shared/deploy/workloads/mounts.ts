// The volumes of Pods. The Pods have no emptyDir, because `kubectl drain` refuses Pods with an emptyDir.
import { certificateSecretName, tokenAudience } from '../manifests/conventions.ts'

export type Mount = {
  readonly name: string
  readonly folder: string
  readonly source: object
}

/** The relay's token for hosts and other relays. kubelet renews it, and the relay reads the file for each call. */
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
  /** Lets the Pod start before the Secret exists. Otherwise kubelet may retry the mount only after two minutes. */
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
