// When Components are done, as a watch of theirs tells.
import { type BareApi, eventsIn } from '../measure/bare-api.ts'
import { components } from './objects.ts'

type Component = {
  readonly metadata: { readonly name: string; readonly generation: number }
  readonly status?: { readonly state?: string; readonly observedGeneration?: number; readonly message?: string }
}

export type Sighting = { readonly type: string; readonly object: Component }

/** Begins to watch now; `until` resolves once so many different ones have passed, and rejects if the watch ends before. */
export const watchComponents = async (api: BareApi) => {
  const list = (await api.call('GET', `${components}?limit=1`)) as { metadata: { resourceVersion: string } }
  const ending = new AbortController()
  const path = `${components}?watch=1&resourceVersion=${list.metadata.resourceVersion}`
  const stream = await api.stream(path, ending.signal)
  const until = async (count: number, isDone: (sighting: Sighting) => boolean): Promise<void> => {
    const done = new Set<string>()
    for await (const sighting of eventsIn<Sighting>(stream)) {
      if (isDone(sighting)) done.add(sighting.object.metadata.name)
      if (done.size >= count) return ending.abort()
    }
    throw new Error(`the watch of Components ended after ${done.size} of ${count}`)
  }
  return { until }
}

export const isReady = ({ object: { metadata, status } }: Sighting): boolean =>
  status?.state === 'Ready' && status.observedGeneration === metadata.generation

export const isGone = ({ type }: Sighting): boolean => type === 'DELETED'
