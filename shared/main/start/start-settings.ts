// What can be set about `npm start`.
import type { Setting, SettingsOf } from '../../http/settings/config.ts'
import { listShape, oneOfShape, optional, someOfShape, textShape, whole } from '../../http/settings/shapes.ts'
import { firstPort, portCount } from './ports.ts'
import { sampleNames } from './samples.ts'

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
  port: {
    sentence: `The first of ${portCount} ports on 127.0.0.1, 0 for free ones; when empty ${firstPort}, or free ones if one is taken`,
    env: 'ESPALIER_PORT',
    flag: 'port',
    shape: optional(whole('ports', 0, 65_536 - portCount)),
    default: '',
  },
  functions: {
    sentence: 'The functions to run; all when empty',
    env: 'ESPALIER_FUNCTIONS',
    flag: 'functions',
    shape: listShape('names of functions such as istio'),
    default: '',
  },
  samples: {
    sentence: 'The samples to apply; when empty all that the functions serve',
    env: 'ESPALIER_SAMPLES',
    flag: 'samples',
    shape: optional(someOfShape('none', ...sampleNames)),
    default: '',
  },
  json: {
    sentence: 'Whether to print a JSON object per line instead of text',
    env: 'ESPALIER_JSON',
    flag: 'json',
    isSwitch: true,
    shape: oneOfShape('no', 'yes'),
    default: 'no',
  },
  quiet: {
    sentence: 'Whether to print the result and errors only',
    env: 'ESPALIER_QUIET',
    flag: 'quiet',
    isSwitch: true,
    shape: oneOfShape('no', 'yes'),
    default: 'no',
  },
} as const satisfies Record<string, Setting>

export type StartSettings = SettingsOf<typeof startSettings>
