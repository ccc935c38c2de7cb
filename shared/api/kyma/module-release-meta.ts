// spec of a ModuleReleaseMeta: the version of a module in each channel.
import { about, defaulted, flag, held, labelSelector, listMap, object } from '../schema.ts'
import { channelName, mandatoryVersion, moduleNameText, ocmComponentNameText, optionalVersion } from './shapes.ts'

export const moduleReleaseMetaSpec = about(
  'Which version of a module each channel has.',
  held(
    object(
      { moduleName: about('Should equal the name of the object, by which it is found.', moduleNameText) },
      {
        beta: about('Has no effect.', defaulted(flag, false)),
        channels: listMap(object({ channel: channelName, version: optionalVersion }), 'channel'),
        internal: about('Has no effect.', defaulted(flag, false)),
        kymaSelector: about('Which Kymas may have the module, if it is a restricted one.', labelSelector),
        mandatory: about('Every Kyma has the module, in this version.', object({ version: mandatoryVersion })),
        ocmComponentName: ocmComponentNameText,
      },
    ),
    {
      rule: 'has(self.mandatory) != has(self.channels)',
      message: "exactly one of 'mandatory' or 'channels' must be specified",
    },
  ),
)
