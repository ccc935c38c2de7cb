// The definition of Istios as the Kyma Istio module publishes it: ours, but for the facts below, in which API servers treat Istios differently.
import type { CustomResourceDefinition } from '../../../shared/api/custom-resource.ts'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'

type Version = { readonly schema: { readonly openAPIV3Schema: JsonSchema } }

/** The status has state, description and conditions alone. */
export const goIstioDefinition = (): CustomResourceDefinition => {
  const crd = istioCrd()
  const versions = (crd.spec.versions as readonly Version[]).map(version => ({
    ...version,
    schema: { openAPIV3Schema: goSchema(version.schema.openAPIV3Schema) },
  }))
  return { ...crd, spec: { ...crd.spec, versions } }
}

const goSchema = ({ properties = {}, ...root }: JsonSchema): JsonSchema => {
  const { state = {}, description = {}, conditions = {} } = properties.status?.properties ?? {}
  const status = { ...properties.status, properties: { state, description, conditions } }
  return { ...root, properties: { ...properties, status } }
}
