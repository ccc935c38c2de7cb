// An annotation of the Garden that records which Secrets a rotation replaces. It is written when the rotation starts, before any Secret is
// created. For each config it names the former Secret and the new Secret.
//
//   credentials.gardener.cloud/former-secrets: '{"ca-3b1f0a9c-d66f7":"ca-3b1f0a9c"}' // by the name of the new Secret
import { isMap, isText, parsedJson } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'

const annotation = `${prefixes.credentials}/former-secrets`

/** The names of former Secrets by the names of the new Secrets. */
export type FormerNames = Readonly<Record<string, string>>

export const formerNamesIn = ({ metadata }: Pick<KubeObject, 'metadata'>): FormerNames => {
  const names = parsedJson(metadata.annotations?.[annotation] ?? '')
  return isMap(names)
    ? Object.fromEntries(Object.entries(names).filter((pair): pair is [string, string] => isText(pair[1])))
    : {}
}

export const formerNamesAnnotation = (names: FormerNames): Record<string, string> => ({
  [annotation]: JSON.stringify(names),
})
