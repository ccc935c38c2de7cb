// The reader of each part's facts. A reader is called when the stage of its part is reached.
import { namedRestarts } from '../rules/restarts/named-workloads.ts'
import type { Facts, PartName } from '../world.ts'
import { readBlocking } from './blocking.ts'
import { readEnvoyFilters } from './envoy-filters.ts'
import { readInstallation } from './installation/installation.ts'
import { readRemoval } from './installation/removal.ts'
import { readIstiodLabels } from './istiod-labels.ts'
import { readLeftovers } from './leftovers.ts'
import { readOwnership } from './ownership.ts'
import { readPodVersions } from './pod-versions.ts'
import type { ChartReaderInput } from './reader-input.ts'
import { readResources } from './resources.ts'
import { readFormerSidecars, readSidecars } from './restarts/sidecars.ts'

const readers: { readonly [Name in PartName]-?: (input: ChartReaderInput) => Promise<NonNullable<Facts[Name]>> } = {
  ownership: readOwnership,
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

/** Reads the facts of these parts, all at once. */
export const factsOf = async (names: readonly PartName[], input: ChartReaderInput): Promise<Facts> =>
  Object.fromEntries(await Promise.all(names.map(async name => [name, await readers[name](input)] as const)))
