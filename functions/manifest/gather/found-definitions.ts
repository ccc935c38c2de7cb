// Reads the definitions of a module that already exist in its cluster, and the objects of their kinds.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import {
  type GroupVersionKind,
  groupOf,
  type KubeObject,
  keyOf,
  keyText,
  refOf,
} from '../../../shared/core/objects/object.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'
import { isNotFound, isNotServed } from '../../../shared/kube/errors.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { isDefaultObject } from '../desired/module-objects.ts'
import { layerFault } from '../reasons.ts'
import { definitionsFault, isOfModules } from '../rules/definitions-of-others.ts'
import type { Fault } from '../world.ts'

type Looking = {
  readonly manifest: Manifest
  readonly client: ReadClient
}

/** Why no object of the module is applied: one of these definitions already exists and belongs to another program or user. */
export const foundDefinitionFault = async (
  definitions: readonly KubeObject[],
  looking: Looking,
): Promise<Fault | undefined> => {
  const found = await Promise.all(
    definitions.map(async definition => {
      const live = await looking.client.get({ ...refOf(definition), namespace: '' }, { withManagedFields: true })
      return live && { live, objects: await objectsOf(live, looking) }
    }),
  )
  const fault = definitionsFault(found.filter(one => one !== undefined))
  return fault === undefined ? undefined : { text: layerFault(fault), needs: 'time', isOfLayer: true }
}

/** Reads only the first page, because the message names only these objects. */
const objectsOf = async (definition: KubeObject, { manifest, client }: Looking): Promise<string[]> => {
  const kind = servedKind(definition)
  if (kind === undefined || isOfModules(definition)) return []
  try {
    for await (const { objects } of client.pages({ ...kind, metadataOnly: true, pageSize: namedMost }))
      return objects.filter(object => !isDefault(object, manifest)).map(object => keyText(keyOf(object)))
  } catch (error) {
    // The definition was created a moment ago, or is being deleted.
    if (!isNotServed(error) && !isNotFound(error)) throw error
  }
  return []
}

const namedMost = 10

const isDefault = ({ apiVersion, kind, metadata: { namespace = '', name } }: KubeObject, manifest: Manifest): boolean =>
  isDefaultObject({ group: groupOf(apiVersion), kind, namespace, name }, manifest)

const servedKind = ({ spec }: KubeObject): GroupVersionKind | undefined => {
  const { group, names, versions } = mapOrEmpty(spec)
  const served = mapsIn(versions).find(version => version.served === true)
  return served && { apiVersion: `${group}/${served.name}`, kind: String(mapOrEmpty(names).kind) }
}
