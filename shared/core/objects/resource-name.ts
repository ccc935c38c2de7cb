// Finds the resource of a kind (`Garden` → `gardens`) without asking an API server: for manifests, and for questions of rights.
// `access` in serverless.yml names the resource too, and watch-faults.ts compares the two: a plural that this rule gets wrong is refused
// until the watch says it.
import { type GroupVersionKind, groupOf } from './object.ts'

/** `plural`: where it is not what English makes of the kind, as `redis` of Redis. */
export type NamedKind = GroupVersionKind & { readonly plural?: string }

export type GroupResource = { group: string; resource: string }

/** `Garden` of `operator.gardener.cloud/v1alpha1` → `gardens` in `operator.gardener.cloud`. */
export const groupResourceOf = ({ apiVersion, kind, plural }: NamedKind): GroupResource => ({
  group: groupOf(apiVersion),
  resource: plural ?? resourceOf(kind),
})

const resourceOf = (kind: string): string => {
  const singular = kind.toLowerCase()
  const [ending, plural] = endings.find(([pattern]) => pattern.test(singular)) ?? regular
  return irregular[singular] ?? singular.replace(ending, plural)
}

const irregular: Record<string, string> = { endpoints: 'endpoints' }

const regular: [RegExp, string] = [/$/, 's']

const endings: [RegExp, string][] = [
  [/(?<![aeiou])y$/, 'ies'],
  [/(?<=s|x|z|ch|sh)$/, 'es'],
]
