// Kyma's definitions as the Go operator publishes them: ours, but for the facts below, in which API servers treat objects differently.
import type { CustomResourceDefinition } from '../../../shared/api/custom-resource.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'

type Version = { readonly name: string; readonly schema: { readonly openAPIV3Schema: JsonSchema } }

/** A Kyma has neither `spec.remote` nor, in v1beta2, `spec.sync`, and its modules need `managed`, which has a default. */
export const goDefinitions = (): readonly CustomResourceDefinition[] =>
  kymaCrds().map(crd => (crd.metadata.name.startsWith('kymas.') ? goKyma(crd) : crd))

const goKyma = (crd: CustomResourceDefinition): CustomResourceDefinition => {
  const versions = (crd.spec.versions as readonly Version[]).map(version => {
    const { properties = {}, ...root } = version.schema.openAPIV3Schema
    const spec = goKymaSpec(properties.spec ?? {}, version.name)
    return { ...version, schema: { openAPIV3Schema: { ...root, properties: { ...properties, spec } } } }
  })
  return { ...crd, spec: { ...crd.spec, versions } }
}

const goKymaSpec = ({ properties = {}, ...spec }: JsonSchema, version: string): JsonSchema => {
  const { remote: _, sync, modules = {}, ...others } = properties
  const items = { ...modules.items, required: ['name', 'managed'] }
  const former: Record<string, JsonSchema> = version === 'v1beta1' && sync ? { sync } : {}
  return { ...spec, properties: { ...others, ...former, modules: { ...modules, items } } }
}
