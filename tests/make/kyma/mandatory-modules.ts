// What declares mandatory modules: labelled ModuleTemplates, and ModuleReleaseMetas.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { ModuleReleaseMeta, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import type { Change } from '../garden/garden.ts'
import { moduleReleaseMeta, moduleTemplate } from './kyma.ts'

/** A version of a module, labelled as mandatory. */
export const mandatoryTemplate = (module: string, version: string, change: Change<Partial<ModuleTemplate>> = {}) => {
  const { metadata, spec } = change
  return moduleTemplate({
    metadata: {
      name: `${module}-${version}`,
      ...metadata,
      labels: { [kymaNames.labels.mandatoryModule]: 'true', ...metadata?.labels },
    },
    spec: {
      moduleName: module,
      version,
      descriptor: { component: { name: `kyma-project.io/module/${module}`, version } },
      ...spec,
    },
  })
}

/** The module is mandatory in this version. */
export const mandatoryMeta = (module: string, version: string, metadata: Change<ModuleReleaseMeta['metadata']> = {}) =>
  moduleReleaseMeta({
    metadata: { name: module, ...metadata },
    spec: { moduleName: module, channels: null, mandatory: { version } },
  })
