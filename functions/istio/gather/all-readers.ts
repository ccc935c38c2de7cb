// The readers of the parts' facts. A reader is called when the stage of its part is reached.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { ConnectionError, isTrouble } from '../../../shared/kube/errors.ts'
import { istiodObjects, meshNamespaceRef, priorityClassRef } from '../desired/manifests.ts'
import { isInstalledByUs } from '../rules/installed-objects.ts'
import { namedRestarts } from '../rules/restarts/restart-targets.ts'
import type { Facts, IstiodLabelsFacts, PartName, RemovalFacts } from '../world.ts'
import { readBlocking } from './blocking.ts'
import { engineWorld, objectsToRemove, readInstallation } from './installation.ts'
import type { ChartReaderInput, ReaderInput } from './reader-input.ts'
import { readEnvoyFilters, readLeftovers, readResources } from './resources.ts'
import { readFormerSidecars, readPodVersions, readSidecars } from './sidecars.ts'

/** Reads the remaining objects of the installation without rendering, so that a removal works even if the charts cannot be pulled. */
const readRemoval = async (input: ReaderInput): Promise<RemovalFacts> => {
  const { reads } = input.context
  try {
    const found = await Promise.all([objectsToRemove(reads), readOwn(reads)])
    return { dependents: { read: await engineWorld(input, { seen: found.flat() }) } }
  } catch (error) {
    if (error instanceof ConnectionError || isTrouble(error)) throw error
    return { dependents: { failed: errorText(error) } }
  }
}

/** PriorityClass and namespace belong to no chart. Each of the two objects is removed only if Espalier created it. */
const readOwn = async (reads: Pick<Reads, 'get'>): Promise<KubeObject[]> => {
  const found = await Promise.all([priorityClassRef, meshNamespaceRef].map(ref => reads.get(ref)))
  return found.filter(object => object !== undefined).filter(isInstalledByUs)
}

const readIstiodLabels = async ({ context: { reads } }: ReaderInput): Promise<IstiodLabelsFacts> => {
  const found = await Promise.all(istiodObjects.map(ref => reads.get(ref, { metadataOnly: true })))
  return { found: found.filter(object => object !== undefined) }
}

const istiod = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: istioNames.namespaces.mesh, name: 'istiod' }

const readers: { readonly [Name in PartName]-?: (input: ChartReaderInput) => Promise<NonNullable<Facts[Name]>> } = {
  ownership: async ({ context: { reads } }) => ({ istiod: await reads.get(istiod) }),
  installation: readInstallation,
  podVersions: readPodVersions,
  resources: readResources,
  envoyFilters: readEnvoyFilters,
  blocking: readBlocking,
  removal: readRemoval,
  leftovers: readLeftovers,
  formerSidecars: readFormerSidecars,
  ingressGateway: async ({ world, now }) => namedRestarts('ingressGateway', world, now),
  controlPlane: async ({ world, now }) => namedRestarts('controlPlane', world, now),
  sidecars: readSidecars,
  istiodLabels: readIstiodLabels,
}

export const factsOf = async (names: readonly PartName[], input: ChartReaderInput): Promise<Facts> =>
  Object.fromEntries(await Promise.all(names.map(async name => [name, await readers[name](input)] as const)))
