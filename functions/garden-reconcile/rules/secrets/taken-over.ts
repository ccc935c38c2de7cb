// What a Garden keeps from a former operator: an annotation, written before we create any object. The names of the former operator's
// Secrets contain a checksum of its config. With the same checksum we find its Secrets, and give new Secrets names that the former operator
// would find.
//
//   credentials.gardener.cloud/taken-over: '{"until":"2026-03-01T11:00:00Z","checksums":{"ca":"1645436262831067767"}}'
import { isMap, isText, parsedJson } from '../../../../shared/core/json/json.ts'
import { remembered } from '../../../../shared/core/memory/remembered.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'

const annotation = `${prefixes.credentials}/taken-over`

type TakenOver = {
  /** When the former operator last wrote the status. Empty: the Garden was never taken over. */
  readonly until: string
  /** The label `checksum-of-config` of the former operator's keys, by config. */
  readonly checksums: Readonly<Record<string, string>>
}

export const takenOver = remembered(({ metadata }: Pick<KubeObject, 'metadata'>): TakenOver => {
  const kept = parsedJson(metadata.annotations?.[annotation] ?? '')
  const { until, checksums } = isMap(kept) ? kept : {}
  const texts = Object.entries(isMap(checksums) ? checksums : {}).filter((pair): pair is [string, string] =>
    isText(pair[1]),
  )
  return { until: isText(until) ? until : '', checksums: Object.fromEntries(texts) }
})

export const takenOverPatch = (kept: TakenOver): { readonly metadata: object } => ({
  metadata: { annotations: { [annotation]: JSON.stringify(kept) } },
})

/** Whether programs of the former operator may mount the Secret. Keys are excluded, because a rotation deletes former keys. */
export const isKeptOfOther = (garden: KubeObject, { metadata }: KubeObject): boolean => {
  const { until, checksums } = takenOver(garden)
  return (metadata.creationTimestamp ?? '9') <= until && checksums[metadata.labels?.name ?? ''] === undefined
}
