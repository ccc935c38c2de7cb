// Reads the catalogue of modules. Thousands of Kymas use the same catalogue, so concurrent calls share a read.
import { kymaNames } from '../../api/kyma/names.ts'
import { moduleReleaseMetaKind, moduleTemplateKind } from '../../api/kyma.ts'
import { type ModuleReleaseMeta, type ModuleTemplate, withSpec } from '../../kyma/kinds.ts'
import type { ModuleCatalogue } from '../../kyma/modules/look-up.ts'
import type { GatherContext } from '../context.ts'

const { controlPlane: namespace } = kymaNames.namespaces

export const readCatalogue = ({ reads, memory }: Pick<GatherContext, 'reads' | 'memory'>): Promise<ModuleCatalogue> =>
  memory.modules.catalogue.of(undefined, async () => {
    const [templates, metas] = await Promise.all([
      reads.list({ ...moduleTemplateKind, namespace }),
      reads.list({ ...moduleReleaseMetaKind, namespace }),
    ])
    return { templates: templates.map(withSpec<ModuleTemplate>), metas: metas.map(withSpec<ModuleReleaseMeta>) }
  })
