// spec and status of a Manifest, a module in one runtime, in the current version and in v1beta1.
import {
  about,
  atomicList,
  flag,
  type JsonSchema,
  labelSelector,
  list,
  object,
  oneOf,
  options,
  raw,
  text,
} from '../schema.ts'
import {
  customResourcePolicy,
  defaultCustomResource,
  kubernetesConditions,
  lastOperation,
  moduleState,
  namedKind,
} from './shapes.ts'

const config = options({
  repo: text,
  name: text,
  ref: text,
  type: oneOf('helm-chart', 'oci-ref', 'kustomize', ''),
  credSecretSelector: labelSelector,
})

const required = {
  install: about('The layer to install.', object({ name: text, source: raw })),
  remote: about('Is not read.', flag),
}

const formerFields = {
  config: about('Has no effect.', config),
  customResourcePolicy: about('Ignore: the default object is neither created nor deleted.', customResourcePolicy),
  resource: { ...defaultCustomResource, nullable: true } as const,
  version: about('Version of the module.', text),
}

export const manifestSpec = about(
  'A module in one runtime.',
  object(required, {
    ...formerFields,
    localizedImages: about('Images that replace those with the same name and tag.', list(text)),
    manager: about('The object that determines the readiness of the module.', namedKind),
  }),
)

export const manifestStatus = object(
  { state: moduleState },
  {
    conditions: kubernetesConditions,
    lastOperation,
    synced: about(
      'What is installed.',
      atomicList(object({ group: text, version: text, kind: text, name: text, namespace: text })),
    ),
  },
)

export const formerManifestSpec: JsonSchema = object(required, formerFields)
