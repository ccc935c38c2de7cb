// Reads the neighbours of a Manifest: other Manifests and Kymas in the same cluster. A neighbour may list the same objects, or have objects
// in a Namespace of the module. Example: if a runtime has copies of the Kymas `a` and `b`, all Manifests of `a` and `b` are neighbours.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { isLabelValue } from '../../../shared/core/objects/dns-name.ts'
import { isDeleting, type Key, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import { type Kyma, kymaNameOf, type Manifest, withSpec } from '../../../shared/kyma/kinds.ts'
import { isRemote, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { isBeside } from '../../../shared/runtime/rivals.ts'

export type Looking = {
  readonly manifest: Manifest
  readonly kyma: Kyma | undefined
  readonly client: ReadClient
  readonly context: Pick<GatherContext, 'reads' | 'clusters'>
  /** The other Kyma that has the runtime. */
  readonly rival?: Key
}

type Neighbours = {
  /** Manifests found by labels and copies only. `kymasHere` checks whether their Kymas really have this cluster. */
  readonly manifests: readonly Manifest[]
  /** Namespaces in which Kymas have copies or, in the control plane's own cluster, default objects. */
  readonly places: ReadonlySet<string>
}

export const noNeighbours: Neighbours = { manifests: [], places: new Set() }

export const neighboursOf = async (looking: Looking): Promise<Neighbours> => {
  const { kyma } = looking
  const { names, places } = await (kyma && !isRemote(kyma) ? localKymas(looking) : copiedKymas(looking))
  const kymas = new Set([...ownKymas(looking), ...names].filter(name => name !== '' && isLabelValue(name)))
  return { manifests: await manifestsOf([...kymas], looking), places: new Set(places) }
}

/** The Kyma of the Manifest, and the Kyma that has the runtime. The cluster of both is known. */
const ownKymas = ({ manifest, rival }: Looking): string[] => [kymaNameOf(manifest), ...(rival ? [rival.name] : [])]

/** The reads of a call make one list for all names. */
const manifestsOf = async (kymas: readonly string[], { manifest, context }: Looking): Promise<Manifest[]> => {
  const { namespace } = manifest.metadata
  const lists = kymas.map(name =>
    context.reads.list({ ...manifestKind, namespace, labelSelector: `${kymaNames.labels.kymaName}=${name}` }),
  )
  return (await Promise.all(lists)).flat().map(withSpec<Manifest>)
}

/** Up to this number, the names in copies count as they are. */
const namesMost = 50

type Kymas = { readonly names: readonly string[]; readonly places: readonly string[] }

/** Kymas whose modules are in the control plane's own cluster. */
const localKymas = async ({ manifest, context }: Looking): Promise<Kymas> => {
  const { namespace } = manifest.metadata
  const local = (one: KubeObject) => (isRemote(withSpec<Kyma>(one)) ? undefined : one)
  const found = (await context.reads.list({ ...kymaKind, namespace, keep: local })) as Kyma[]
  return { names: found.map(({ metadata }) => metadata.name), places: found.map(syncNamespace) }
}

/**
 * Kymas named by the copies in a runtime. The runtime's owner may write any number of names, so a long list is reduced to existing Kymas.
 */
const copiedKymas = async ({ manifest, client, context }: Looking): Promise<Kymas> => {
  const { namespace } = manifest.metadata
  const copies = (await listIfServed(client, { ...kymaKind, metadataOnly: true })) ?? []
  const places = copies.map(({ metadata }) => metadata.namespace ?? '')
  const names = copies
    .map(({ metadata }) => metadata.annotations?.[kymaNames.annotations.ownedBy]?.split('/') ?? [])
    .flatMap(([place, name]) => (place === namespace && name !== undefined ? [name] : []))
  if (names.length <= namesMost) return { names, places }
  const kymas = await context.reads.list({ ...kymaKind, namespace, metadataOnly: true })
  const known = new Set(kymas.map(({ metadata }) => metadata.name))
  return { names: names.filter(name => known.has(name)), places }
}

/** At most this many Kymas are read by name. */
const askedMost = 10

type KymaHere = { readonly name: string; readonly isGoing: boolean }

/**
 * Kymas among these names that have the same cluster, starting with the Manifest's own Kyma. The check is needed because objects copied
 * from another cluster name Kymas of that cluster. Kymas that were not read come last but count, because their objects must not be deleted.
 */
export const kymasHere = async (names: ReadonlySet<string>, looking: Looking): Promise<readonly KymaHere[]> => {
  const { manifest, kyma, client, context } = looking
  const { namespace = '' } = manifest.metadata
  const own = ownKymas(looking)
  const others = [...names].filter(name => name !== '' && !own.includes(name))
  const answers = others.slice(0, askedMost).map(async name => {
    const other = await context.reads.get({ ...kymaKind, namespace, name })
    const isHere = other && (await isBeside(kyma, withSpec(other), { clusters: context.clusters, client }))
    return isHere ? [{ name, isGoing: isDeleting(other) }] : []
  })
  const staying = (name: string): KymaHere => ({ name, isGoing: false })
  return [...own.map(staying), ...(await Promise.all(answers)).flat(), ...others.slice(askedMost).map(staying)]
}
