// spec of a ModuleTemplate: one released version of a module.
import { about, flag, type JsonSchema, list, listMap, object, oneOf, raw, text } from '../schema.ts'
import { defaultCustomResource, moduleNameText, moduleState, namedKind, optionalVersion } from './shapes.ts'

const descriptor = about('The component descriptor, version 2 of the Open Component Model.', raw)

const formerFields = {
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
      ...formerFields,
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
  formerFields,
)
