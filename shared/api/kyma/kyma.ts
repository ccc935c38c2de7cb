// spec and status of a Kyma, in the current version and in v1beta1.
import { about, defaulted, flag, type JsonSchema, list, listMap, object, oneOf, options, text } from '../schema.ts'
import {
  channelName,
  customResourcePolicy,
  kubernetesConditions,
  lastOperation,
  moduleState,
  trackedObject,
} from './shapes.ts'

const module = object(
  { name: about('Name of the module.', text) },
  {
    channel: about('Channel of the module; that of the Kyma when absent.', channelName),
    controller: about('Only ModuleTemplates with this controller-name count.', text),
    customResourcePolicy: about('Ignore: the default object is neither created nor deleted.', customResourcePolicy),
    managed: about('false: the module stays as it is and is left alone.', defaulted(flag, true)),
    remoteModuleTemplateRef: about('Has no effect.', text),
  },
)

const remoteFields = {
  enabled: about('false: modules are installed in the cluster of the Kyma.', flag),
  strategy: oneOf('secret'),
  namespace: about('Where copy and catalogue lie in the runtime; kyma-system when absent.', text),
  noModuleCopy: about('true: a new copy begins without modules.', flag),
  moduleCatalog: about('false: there is no catalogue in the runtime.', flag),
}

const channel = about('The release channel of modules that name none.', channelName)

export const kymaSpec = about(
  'Which modules are wanted, and where.',
  object(
    { channel },
    {
      modules: listMap(module, 'name'),
      remote: options(remoteFields),
      skipMaintenanceWindows: about('Updates with downtime do not wait for a window.', flag),
      sync: about('The former name of remote, which wins.', options(remoteFields)),
    },
  ),
)

const moduleStatusFields = {
  channel: text,
  fqdn: text,
  manifest: trackedObject,
  message: text,
  resource: trackedObject,
  template: trackedObject,
  version: text,
}

const moduleStatus = object(
  { name: text, state: moduleState },
  { ...moduleStatusFields, maintenance: defaulted(flag, false), ocmComponentName: text },
)

export const kymaStatus = options({
  activeChannel: text,
  conditions: kubernetesConditions,
  lastOperation,
  modules: list(moduleStatus),
  state: moduleState,
})

export const formerKyma: { spec: JsonSchema; status: JsonSchema } = {
  spec: object(
    { channel },
    {
      modules: list(module),
      skipMaintenanceWindows: flag,
      sync: options({
        ...remoteFields,
        enabled: defaulted(flag, false),
        strategy: defaulted(text, 'secret'),
        noModuleCopy: defaulted(flag, true),
        moduleCatalog: defaulted(flag, true),
      }),
    },
  ),
  status: {
    ...kymaStatus,
    properties: {
      ...kymaStatus.properties,
      modules: list(object({ name: text, state: moduleState }, moduleStatusFields)),
    },
  },
}
