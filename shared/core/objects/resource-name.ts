// Derives the resource of a kind (`Garden` → `gardens`) without an API server, for manifests and access reviews. landscape-faults.ts compares
// the derived resource with `access` in serverless.yml. If they differ, the watch must specify `plural`.
import { type GroupVersionKind, groupOf } from './object.ts'

/** `plural` for irregular kinds, such as `redis` for Redis. */
export type NamedKind = GroupVersionKind & { readonly plural?: string }

export type GroupResource = { group: string; resource: string }

/** `Garden` in `operator.gardener.cloud/v1alpha1` → `gardens` in `operator.gardener.cloud`. */
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
