// Objects for the layers of modules in stories of Manifests, and reads of these objects in the cluster.
import { stringify } from 'yaml'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { isNotServed } from '../../../shared/kube/errors.ts'
import { crd } from '../component/orchards.ts'
import type { ManifestGround } from './manifest-ground.ts'

/** The content of a layer. */
export const yamlOf = (...objects: KubeObject[]): string => objects.map(object => stringify(object)).join('---\n')

/** Objects in the namespace of these grounds, and kinds of their own. */
export const layerObjects = ({ client, namespace }: Pick<ManifestGround, 'client' | 'namespace'>) => ({
  configMap: (name: string, data: Record<string, string> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  }),
  crdOf: (plural: string, kind: string): KubeObject => crd(`${plural}-${namespace}.example`, kind, plural),
  customOf: (kind: string, plural: string, name: string, fields: object = {}): KubeObject => ({
    apiVersion: `${plural}-${namespace}.example/v1`,
    kind,
    metadata: { name, namespace },
    ...fields,
  }),
  /** undefined: it is not there, or its kind is not served. */
  live: (object: KubeObject) =>
    client.get(refOf(object)).catch(error => {
      if (!isNotServed(error)) throw error
      return undefined
    }),
})
