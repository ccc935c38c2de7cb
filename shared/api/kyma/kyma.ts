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
    channel: about('Channel of the module. Default: the channel of the Kyma.', channelName),
    controller: about('Only ModuleTemplates with this controller-name are used.', text),
    customResourcePolicy: about('Ignore: the default object is neither created nor deleted.', customResourcePolicy),
    managed: about('false: Espalier no longer changes the module.', defaulted(flag, true)),
    remoteModuleTemplateRef: about('Has no effect.', text),
  },
)

const remoteFields = {
  enabled: about('false: modules are installed in the cluster in which the Kyma is.', flag),
  strategy: oneOf('secret'),
  namespace: about(
    'Namespace of the copy of the Kyma and of the module catalogue in the runtime. Default: kyma-system.',
    text,
  ),
  noModuleCopy: about('true: a new copy of the Kyma starts without modules.', flag),
  moduleCatalog: about('false: the runtime gets no module catalogue.', flag),
}

const channel = about('Release channel of modules that set no channel.', channelName)

export const kymaSpec = about(
  'Desired modules, and where to install them.',
  object(
    { channel },
    {
      modules: listMap(module, 'name'),
      remote: options(remoteFields),
      skipMaintenanceWindows: about('true: updates with downtime do not wait for a maintenance window.', flag),
      sync: about('Former name of remote. If both are set, remote is used.', options(remoteFields)),
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
