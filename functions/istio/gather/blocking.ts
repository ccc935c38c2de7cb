// Reads the metadata of resources that block a deletion, kind by kind and page by page, so that memory holds only a few pages.
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import {
  apiVersionOf,
  type GroupVersionKind,
  type KubeObject,
  keyOf,
  keyText,
} from '../../../shared/core/objects/object.ts'
import { atOnce } from '../../../shared/kube/at-once.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'
import { isNotServed, nothingIf } from '../../../shared/kube/errors.ts'
import { againIfGone, reading } from '../../../shared/kube/reading.ts'
import {
  type Blocking,
  blockingKinds,
  definitionName,
  isExempt,
  isOfIstio,
  namesShown,
} from '../rules/users-resources.ts'
import type { BlockingFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

/** `noted` is called for each page with the names of the page's blocking resources. */
type Asking = {
  readonly client: Pick<ReadClient, 'get' | 'list' | 'pages'>
  readonly noted: (names: readonly string[]) => void
}

const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const
const kindsAtOnce = 4
const none: Blocking = { first: [], count: 0 }

export const readBlocking = async ({ context: { clusters }, log }: ReaderInput): Promise<BlockingFacts> => {
  const noted = (resources: readonly string[]) => log.warn({ resources }, 'these resources block the deletion of Istio')
  return { resources: await blockingResources({ client: await clusters.of('local'), noted }) }
}

/** Skips kinds without CustomResourceDefinition. Fails if one kind cannot be read, because it may have resources. */
export const blockingResources = (asking: Asking): Promise<Reading<Blocking>> => reading(inAllKinds(asking))

const inAllKinds = async (asking: Asking): Promise<Blocking> => {
  const keep = (object: KubeObject) => (isOfIstio(object.metadata.name) ? object : undefined)
  const definitions = await asking.client.list({ ...definitionKind, metadataOnly: true, keep })
  const names = definitions.map(({ metadata }) => metadata.name)
  const found = await atOnce(
    names.map(name => () => ofDefinition(name, asking)),
    kindsAtOnce,
  )
  return {
    first: namesShown(found.flatMap(({ first }) => first)),
    count: found.reduce((sum, { count }) => sum + count, 0),
  }
}

const ofDefinition = async (name: string, asking: Asking): Promise<Blocking> => {
  const known = blockingKinds.find(kind => definitionName(kind) === name)
  return (known && (await ifServed(known, asking))) ?? ofKinds(await kindsDefined(name, asking), asking)
}

const ofKinds = async (kinds: readonly GroupVersionKind[], asking: Asking): Promise<Blocking> => {
  for (const kind of kinds) {
    const found = await ifServed(kind, asking)
    if (found) return found
  }
  return none
}

/** The kind in each served version, for kinds that the table lacks or lists with another version. */
const kindsDefined = async (name: string, { client }: Asking): Promise<GroupVersionKind[]> => {
  const definition = await client.get({ ...definitionKind, namespace: '', name })
  const { group, names, versions } = mapOrEmpty(definition?.spec)
  const kind = String(mapOrEmpty(names).kind)
  return (Array.isArray(versions) ? versions : [])
    .map(mapOrEmpty)
    .filter(({ served }) => served === true)
    .map(version => ({ apiVersion: apiVersionOf({ group: String(group), version: String(version.name) }), kind }))
}

/** undefined: the kind is not served. */
const ifServed = (kind: GroupVersionKind, asking: Asking): Promise<Blocking | undefined> =>
  againIfGone(() => ofKind(kind, asking)).catch(nothingIf(isNotServed))

const ofKind = async (kind: GroupVersionKind, { client, noted }: Asking): Promise<Blocking> => {
  let { first, count } = none
  const { apiVersion, kind: name } = kind
  const keep = (object: KubeObject) => (isExempt(object) ? undefined : object)
  for await (const { objects } of client.pages({ apiVersion, kind: name, metadataOnly: true, keep })) {
    const names = objects.map(object => `${name} ${keyText(keyOf(object))}`)
    if (names.length > 0) noted(names)
    first = namesShown([...first, ...names])
    count += names.length
  }
  return { first, count }
}
