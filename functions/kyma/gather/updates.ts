// Reads the facts that decide when updates of modules are due: the maintenance windows, and the release time of the new version. Nothing is
// read while no update is due.
import { readFile } from 'node:fs/promises'
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { isMap, isText } from '../../../shared/core/json/json.ts'
import { refOf } from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import type { ModuleStatus } from '../../../shared/kyma/kinds.ts'
import type { FoundModule } from '../../../shared/kyma/modules/look-up.ts'
import { type DefinedModule, definedModule, foundModule, isUnmanaged, listedModules } from '../rules/listed-modules.ts'
import { isUpdate, skipsWindows } from '../rules/update.ts'
import { type WindowPolicy, windowPolicy } from '../rules/windows.ts'
import type { World } from '../world.ts'

export const dueUpdates = async (
  modules: readonly KnownModule[],
  world: World,
  reads: Pick<Reads, 'get'>,
): Promise<Pick<World, 'windows' | 'releasedAt'>> => {
  const due = modules.filter(({ module, status }) => status && isUpdate({ module, status }))
  const needsWindow = !skipsWindows(world) && due.some(({ module }) => module.template.spec.requiresDowntime)
  const { rollOutSeconds, windowPolicyFile } = world.settings
  const [windows, releases] = await Promise.all([
    needsWindow ? windowsIn(windowPolicyFile) : world.windows,
    Promise.all(rollOutSeconds > 0 ? due.map(({ module }) => releaseOf(module, reads)) : []),
  ])
  return { windows, releasedAt: new Map(releases.flat()) }
}

/** The file may change at any time, so it is read again for each call of this function. */
export const windowsIn = async (file: string): Promise<Reading<WindowPolicy>> => {
  try {
    return windowPolicy(await readFile(file, 'utf8'))
  } catch (error) {
    return { failed: isMissing(error) ? 'no maintenance window policy configured' : errorText(error) }
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The time of the last write of the object that determines the version. */
const releaseOf = async ({ meta, template }: KnownModule['module'], reads: Pick<Reads, 'get'>) => {
  const object = await reads.get(refOf(meta ?? template), { withManagedFields: true })
  const times = (object?.metadata.managedFields ?? []).map(entry => (isMap(entry) ? entry.time : undefined))
  const newest = times.filter(isText).sort().at(-1)
  return newest === undefined ? [] : [[template.metadata.name, new Date(newest)] as const]
}

export type KnownModule = { readonly name: string; readonly module: DefinedModule; readonly status?: ModuleStatus }

/** Includes removed modules, because their Manifests follow new versions until they are gone. */
const managedModules = (world: World) =>
  listedModules(world)
    .filter(listed => !isUnmanaged(listed))
    .map(listed => ({ ...listed, controller: listed.entry?.controller }))

/** The ModuleTemplates of all modules that the Kyma may have, with known and unknown descriptors. */
export const foundModules = (world: World): readonly FoundModule[] =>
  managedModules(world).flatMap(module => {
    const looked = foundModule(module, world)
    return 'fault' in looked ? [] : [looked.found]
  })

export const definedModules = (world: World): readonly KnownModule[] =>
  managedModules(world).flatMap(({ status, ...module }) => {
    const defined = definedModule(module, world)
    return 'fault' in defined ? [] : [{ name: module.name, module: defined.defined, status }]
  })
