// The definition of Gardens as Gardener's operator publishes it: ours, but for the facts below, in which API servers treat Gardens differently.
import type { Column, CustomResourceDefinition } from '../../../shared/api/custom-resource.ts'
import { gardenCrd } from '../../../shared/api/garden/spec.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'

type Version = {
  readonly additionalPrinterColumns: readonly Column[]
  readonly schema: { readonly openAPIV3Schema: JsonSchema }
}

/** There they are structures; here they have no effect, and are kept as they came. */
export const keptAsTheyCame = [
  'spec.virtualCluster.gardener.gardenerControllerManager.defaultProjectQuotas[].config',
  'spec.virtualCluster.gardener.gardenerDashboard',
  'spec.virtualCluster.kubernetes.kubeControllerManager.horizontalPodAutoscaler',
]

/** No column tells of Reconciled, no Garden needs a spec, there are no older spellings, and what is encrypted has a provider. */
export const goGardenDefinition = (): CustomResourceDefinition => {
  const crd = gardenCrd()
  const versions = (crd.spec.versions as readonly Version[]).map(version => ({
    ...version,
    additionalPrinterColumns: version.additionalPrinterColumns.filter(({ name }) => name !== 'Reconciled'),
    schema: { openAPIV3Schema: goSchema(version.schema.openAPIV3Schema) },
  }))
  return { ...crd, spec: { ...crd.spec, versions } }
}

const goSchema = ({ required: _, ...schema }: JsonSchema): JsonSchema =>
  Object.entries(changes).reduce((changed, [path, change]) => changedAt(changed, path.split('.'), change), schema)

type Change = (schema: JsonSchema) => JsonSchema

const without =
  (field: string): Change =>
  ({ properties: { [field]: _, ...properties } = {}, ...schema }) => ({ ...schema, properties })

const requiring =
  (...required: string[]): Change =>
  schema => ({ ...schema, required })

const changes: Readonly<Record<string, Change>> = {
  'spec.runtimeCluster.ingress': without('domain'),
  'spec.virtualCluster.dns': without('domain'),
  'spec.virtualCluster.kubernetes.kubeAPIServer': without('oidcConfig'),
  'spec.virtualCluster.kubernetes.kubeAPIServer.encryptionConfig': requiring('provider'),
  'spec.virtualCluster.gardener.gardenerAPIServer.encryptionConfig': requiring('provider'),
  // Of versions before 1.140 alone.
  status: without('encryptedResources'),
  'status.credentials.encryptionAtRest': requiring('provider'),
  'status.credentials.encryptionAtRest.provider': requiring('type'),
}

const changedAt = (schema: JsonSchema, [name, ...path]: readonly string[], change: Change): JsonSchema =>
  name === undefined
    ? change(schema)
    : {
        ...schema,
        properties: { ...schema.properties, [name]: changedAt(schema.properties?.[name] ?? {}, path, change) },
      }
