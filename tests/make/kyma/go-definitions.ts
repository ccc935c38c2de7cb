// Kyma's definitions as the Go operator publishes them: ours, but for the facts below, in which API servers treat objects differently.
import type { CustomResourceDefinition } from '../../../shared/api/custom-resource.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'

type Version = { readonly name: string; readonly schema: { readonly openAPIV3Schema: JsonSchema } }

/** No object needs a spec. A Kyma of v1beta2 has neither `spec.remote` nor `spec.sync`, and its modules need `managed`, which has a default. */
export const goDefinitions = (): readonly CustomResourceDefinition[] =>
  kymaCrds().map(crd => ({
    ...crd,
    spec: { ...crd.spec, versions: (crd.spec.versions as readonly Version[]).map(version => goVersion(crd, version)) },
  }))

const goVersion = ({ metadata }: CustomResourceDefinition, version: Version): Version => {
  const { required: _, properties = {}, ...root } = version.schema.openAPIV3Schema
  const isKyma = metadata.name.startsWith('kymas.') && version.name === 'v1beta2'
  const spec = isKyma ? goKymaSpec(properties.spec ?? {}) : properties.spec
  return { ...version, schema: { openAPIV3Schema: { ...root, properties: { ...properties, ...(spec && { spec }) } } } }
}

const goKymaSpec = ({ properties = {}, ...spec }: JsonSchema): JsonSchema => {
  const { remote: _remote, sync: _sync, modules = {}, ...others } = properties
  const items = { ...modules.items, required: ['name', 'managed'] }
  return { ...spec, properties: { ...others, modules: { ...modules, items } } }
}
