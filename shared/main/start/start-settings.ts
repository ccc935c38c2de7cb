// The settings of `npm start`.
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { listShape, oneOfShape, optional, someOfShape, textShape, whole } from '../../core/settings/shapes.ts'
import { firstPort, portCount } from './ports.ts'
import { sampleNames } from './samples.ts'

/** A flag that is off unless it is given. */
const no = { isSwitch: true, shape: oneOfShape('no', 'yes'), default: 'no' } as const

export const startSettings = settingsTable({
  kubeconfig: {
    sentence: 'Kubeconfig of the cluster to use; empty: an embedded cluster is started',
    env: 'KUBECONFIG',
    shape: optional(textShape('a path')),
  },
  agreed: {
    sentence: 'Whether to use the cluster of --kubeconfig without confirmation',
    env: 'ESPALIER_YES',
    ...no,
  },
  state: {
    sentence: 'Folder for the kubeconfig and the logs',
    shape: textShape('a path'),
    default: '.espalier',
  },
  data: {
    sentence:
      'Folder in which the embedded cluster stores its objects; empty: the objects are lost when the cluster stops',
    shape: optional(textShape('a path')),
  },
  port: {
    sentence: `First of ${portCount} ports on 127.0.0.1, 0 for free ports; empty: ${firstPort}, or free ports if one is in use`,
    shape: optional(whole('ports', 0, 65_536 - portCount)),
  },
  functions: {
    sentence: 'Functions to run; empty: all',
    shape: listShape('names of functions such as istio'),
  },
  samples: {
    sentence: 'Samples to apply; empty: all that the functions serve',
    shape: optional(someOfShape('none', ...sampleNames)),
  },
  plans: {
    sentence: 'Whether to print the plan for each object before functions are called; for your own operator',
    ...no,
  },
  json: {
    sentence: 'Whether to print a JSON object per line instead of text',
    ...no,
  },
  quiet: {
    sentence: 'Whether to print the result and errors only',
    ...no,
  },
})

export type StartSettings = SettingsOf<typeof startSettings>
