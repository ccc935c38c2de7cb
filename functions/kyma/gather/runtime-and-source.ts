// Reads the runtime of a Kyma, and the objects of the control plane for this runtime. If the runtime was in order less than 30 minutes ago
// and no event came since, only the copy is read, to see whether the runtime answers and which modules its owner wants.
import { isDeleting, type KubeObject, versionText } from '../../../shared/core/objects/object.ts'
import { ConnectionError } from '../../../shared/kube/errors.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { isRemote, runtimeName, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import type { ModuleCatalogue } from '../../../shared/kyma/modules/look-up.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { Marking } from '../../../shared/runtime/marks.ts'
import { readCopy } from '../../../shared/runtime/rivals.ts'
import type { KymaRuntime } from '../rules/runtime.ts'
import type { KymaSettings } from '../settings.ts'
import type { World } from '../world.ts'
import { gatherRuntime, gatherRuntimeSource, readPullSecret, runtimeAway } from './runtime.ts'

type There = Pick<World, 'runtime' | 'source'>
type Asking = GatherContext<KymaSettings> & { readonly marking: Marking; readonly catalogue: Promise<ModuleCatalogue> }

export const gatherThere = async (kyma: Kyma, asking: Asking): Promise<There> => {
  if (!isRemote(kyma)) return { runtime: { is: 'off' }, source: { crds: [] } }
  const isMarked = kyma.status?.state === 'Ready' && !isDeleting(kyma) && asking.marking.hasMark(kyma)
  return (isMarked ? await inOrder(kyma, asking) : undefined) ?? readAll(kyma, asking)
}

/** undefined: the whole runtime must be read. */
const inOrder = async (kyma: Kyma, asking: Asking): Promise<There | undefined> => {
  const [{ away, copy }, pullSecret] = await Promise.all([lookAtCopy(kyma, asking), readPullSecret(asking)])
  if (away) return { runtime: away, source: await gatherRuntimeSource(kyma, asking) }
  if (!copy || !asking.marking.isInOrder(kyma, await facts(kyma, { copy, pullSecret }, asking))) return undefined
  return { runtime: { is: 'inOrder', copy }, source: { crds: [] } }
}

/** `away`: the runtime did not answer, so it is not asked again. */
type Look = { readonly copy?: Kyma | undefined; readonly away?: KymaRuntime }

const lookAtCopy = async (kyma: Kyma, { clusters }: Asking): Promise<Look> => {
  try {
    return { copy: await readCopy(await clusters.of(runtimeName(kyma.metadata.name)), syncNamespace(kyma)) }
  } catch (error) {
    return isSilent(error) ? { away: runtimeAway(error) } : {}
  }
}

const isSilent = (error: unknown): boolean => error instanceof ConnectionError && error.loss === 'silent'

const readAll = async (kyma: Kyma, asking: Asking): Promise<There> => {
  const look = asking.marking.begin(kyma)
  const [runtime, source] = await Promise.all([gatherRuntime(kyma, asking), gatherRuntimeSource(kyma, asking)])
  const copy = copyIn(runtime)
  if (copy) look.judgedBy(await facts(kyma, { copy, pullSecret: source.pullSecret }, asking))
  return { runtime, source }
}

const copyIn = (runtime: KymaRuntime): Kyma | undefined => (runtime.is === 'there' ? runtime.copy : undefined)

type Read = { readonly copy: Kyma; readonly pullSecret: KubeObject | undefined }

/**
 * Versions of the objects by which the runtime was judged. Not every change of them calls the Kyma, so the next call compares the versions.
 */
const facts = async (kyma: Kyma, { copy, pullSecret }: Read, { clusters, catalogue }: Asking): Promise<unknown[]> => {
  const [{ reachedBy }, { templates, metas }] = await Promise.all([
    clusters.of(runtimeName(kyma.metadata.name)),
    catalogue,
  ])
  return [reachedBy, ...[copy, pullSecret, ...templates, ...metas].map(object => object && versionText(object))]
}
