// What a module is: spec and status of a Manifest (a module in one runtime), spec of a ModuleTemplate (one released version) and of a
// ModuleReleaseMeta (the version of each channel), in the current version and in v1beta1.
import {
  about,
  atomicList,
  defaulted,
  flag,
  held,
  type JsonSchema,
  labelSelector,
  list,
  listMap,
  object,
  oneOf,
  options,
  raw,
  text,
} from '../schema.ts'
import {
  channelName,
  customResourcePolicy,
  defaultCustomResource,
  kubernetesConditions,
  lastOperation,
  mandatoryVersion,
  moduleNameText,
  moduleState,
  namedKind,
  ocmComponentNameText,
  optionalVersion,
} from './shapes.ts'

export const moduleReleaseMetaSpec = about(
  'The version of a module in each channel.',
  held(
    object(
      {
        moduleName: about(
          'Should be the name of the object, because modules are found by the name of the object.',
          moduleNameText,
        ),
      },
      {
        beta: about('Has no effect.', defaulted(flag, false)),
        channels: listMap(object({ channel: channelName, version: optionalVersion }), 'channel'),
        internal: about('Has no effect.', defaulted(flag, false)),
        kymaSelector: about('Kymas that may use the module, if the module is restricted.', labelSelector),
        mandatory: about('Every Kyma gets the module in this version.', object({ version: mandatoryVersion })),
        ocmComponentName: ocmComponentNameText,
      },
    ),
    {
      rule: 'has(self.mandatory) != has(self.channels)',
      message: "exactly one of 'mandatory' or 'channels' must be specified",
    },
  ),
)

const descriptor = about('The component descriptor, version 2 of the Open Component Model.', raw)

const formerTemplateFields = {
  channel: about('Channel of this version, used only if no ModuleReleaseMeta of the module exists.', {
    ...text,
    pattern: '^$|^[a-z]{3,}$',
    maxLength: 32,
  }),
  mandatory: flag,
  requiresDowntime: about('true: an update waits for a maintenance window.', flag),
  data: defaultCustomResource,
  customStateCheck: about('Has no effect.', list(object({ jsonPath: text, value: text, mappedState: moduleState }))),
}

const link = { name: text, link: text }

export const moduleTemplateSpec = about(
  'One version of a module.',
  object(
    { descriptor },
    {
      ...formerTemplateFields,
      associatedResources: about(
        'Additional kinds that the module installs.',
        list(object({ group: text, version: text, kind: text })),
      ),
      info: object({ repository: text, documentation: text }, { icons: listMap(object(link), 'name') }),
      manager: about('The object that determines the readiness of the module.', namedKind),
      moduleName: moduleNameText,
      resources: listMap(object({ ...link, link: { ...text, format: 'uri' } }), 'name'),
      version: optionalVersion,
    },
  ),
)

export const formerModuleTemplateSpec: JsonSchema = object(
  { descriptor, target: oneOf('control-plane', 'remote') },
  formerTemplateFields,
)

const config = options({
  repo: text,
  name: text,
  ref: text,
  type: oneOf('helm-chart', 'oci-ref', 'kustomize', ''),
  credSecretSelector: labelSelector,
})

const manifestRequired = {
  install: about('The layer to install.', object({ name: text, source: raw })),
  remote: about('Is not read.', flag),
}

const formerManifestFields = {
  config: about('Has no effect.', config),
  customResourcePolicy: about('Ignore: the default object is neither created nor deleted.', customResourcePolicy),
  resource: { ...defaultCustomResource, nullable: true } as const,
  version: about('Version of the module.', text),
}

export const manifestSpec = about(
  'A module in one runtime.',
  object(manifestRequired, {
    ...formerManifestFields,
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

export const formerManifestSpec: JsonSchema = object(manifestRequired, formerManifestFields)
