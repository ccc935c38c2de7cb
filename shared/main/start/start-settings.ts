// What can be set about `npm start`.
import type { Setting, SettingsOf } from '../../http/settings/config.ts'
import { oneOfShape, optional, textShape } from '../../http/settings/shapes.ts'

export const startSettings = {
  kubeconfig: {
    sentence: 'The kubeconfig of a cluster to use; an embedded cluster is started when empty',
    env: 'KUBECONFIG',
    flag: 'kubeconfig',
    shape: optional(textShape('a path')),
    default: '',
  },
  agreed: {
    sentence: 'Whether to use the cluster of that kubeconfig without asking',
    env: 'ESPALIER_YES',
    flag: 'yes',
    isSwitch: true,
    shape: oneOfShape('no', 'yes'),
    default: 'no',
  },
  state: {
    sentence: 'The folder for the kubeconfig and the logs',
    env: 'ESPALIER_STATE',
    flag: 'state',
    shape: textShape('a path'),
    default: '.espalier',
  },
  data: {
    sentence: 'The folder in which the embedded cluster keeps its objects; they end with it when empty',
    env: 'ESPALIER_DATA',
    flag: 'data',
    shape: optional(textShape('a path')),
    default: '',
  },
} as const satisfies Record<string, Setting>

export type StartSettings = SettingsOf<typeof startSettings>
