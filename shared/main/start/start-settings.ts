// What can be set about `npm start`.

import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { listShape, oneOfShape, optional, someOfShape, textShape, whole } from '../../core/settings/shapes.ts'
import { firstPort, portCount } from './ports.ts'
import { sampleNames } from './samples.ts'

export const startSettings = settingsTable({
  kubeconfig: {
    sentence: 'The kubeconfig of a cluster to use; an embedded cluster is started when empty',
    env: 'KUBECONFIG',
    shape: optional(textShape('a path')),
  },
  agreed: {
    sentence: 'Whether to use the cluster of that kubeconfig without asking',
    env: 'ESPALIER_YES',
    isSwitch: true,
    shape: oneOfShape('no', 'yes'),
    default: 'no',
  },
  state: {
    sentence: 'The folder for the kubeconfig and the logs',
    shape: textShape('a path'),
    default: '.espalier',
  },
  data: {
    sentence: 'The folder in which the embedded cluster keeps its objects; they end with it when empty',
    shape: optional(textShape('a path')),
  },
  port: {
    sentence: `The first of ${portCount} ports on 127.0.0.1, 0 for free ones; when empty ${firstPort}, or free ones if one is taken`,
    shape: optional(whole('ports', 0, 65_536 - portCount)),
  },
  functions: {
    sentence: 'The functions to run; all when empty',
    shape: listShape('names of functions such as istio'),
  },
  samples: {
    sentence: 'The samples to apply; when empty all that the functions serve',
    shape: optional(someOfShape('none', ...sampleNames)),
  },
  plans: {
    sentence:
      'Whether to print, before functions are called, what they will do for each object; for an operator of your own',
    isSwitch: true,
    shape: oneOfShape('no', 'yes'),
    default: 'no',
  },
  json: {
    sentence: 'Whether to print a JSON object per line instead of text',
    isSwitch: true,
    shape: oneOfShape('no', 'yes'),
    default: 'no',
  },
  quiet: {
    sentence: 'Whether to print the result and errors only',
    isSwitch: true,
    shape: oneOfShape('no', 'yes'),
    default: 'no',
  },
})

export type StartSettings = SettingsOf<typeof startSettings>
