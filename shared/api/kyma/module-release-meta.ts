// spec of a ModuleReleaseMeta: the version of a module in each channel.
import { about, defaulted, flag, held, labelSelector, listMap, object } from '../schema.ts'
import { channelName, mandatoryVersion, moduleNameText, ocmComponentNameText, optionalVersion } from './shapes.ts'

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
