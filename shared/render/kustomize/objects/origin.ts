// buildMetadata: annotations and a label with the origin of objects and what changed them.
import { stringify } from 'yaml'

/** A file, or the generator or transformer that a kustomization or file configures. */
export type Origin = {
  readonly path?: string
  readonly configuredIn?: string
  readonly configuredBy?: {
    readonly apiVersion: string
    readonly kind: string
    readonly name?: string
    readonly namespace?: string
  }
}

export const builtInOrigin = (path: string, file: string, kind: string): Origin => ({
  configuredIn: path === '' ? file : `${path}/${file}`,
  configuredBy: { apiVersion: 'builtin', kind },
})

type Traced = { origin: Origin | undefined; transformations: readonly Origin[] }

/** Each object records its transformers; a generated object records its origin. */
export const noteTransformation = (resources: readonly Traced[], origin: Origin): void => {
  for (const resource of resources) {
    if (resource.origin === undefined) resource.origin = origin
    else resource.transformations = [...resource.transformations, origin]
  }
}

export const originText = (origin: Origin): string => stringify(origin, { lineWidth: 0 })

export const transformationsText = (origins: readonly Origin[]): string => stringify(origins, { lineWidth: 0 })
