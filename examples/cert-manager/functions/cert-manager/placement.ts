// Where cert-manager is installed: the namespace and the name in the spec of a CertManager, else its own.
import type { KubeObject } from 'espalier'
import type { CertManagerSpec } from '../../kinds/cert-manager.ts'

export const placeOf = ({ spec, metadata }: KubeObject): { namespace: string; name: string } => {
  const { namespace = '', name = '' } = (spec ?? {}) as CertManagerSpec
  return { namespace: namespace || (metadata.namespace ?? ''), name: name || metadata.name }
}
