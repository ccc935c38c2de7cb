// From a kind to the resource that RBAC and URLs name it by, without asking an API server: generating manifests works
// offline. serverless.yml lists the resource in `access` as well, and landscape-faults.ts compares the two, so a plural
// that this rule gets wrong is refused at once and becomes a row of `irregular`.
import { groupOf } from '../../core/object.ts'

export type GroupResource = { group: string; resource: string }

/** `Garden` of `operator.gardener.cloud/v1alpha1` → `gardens` in `operator.gardener.cloud`. */
export const groupResourceOf = (watched: { apiVersion: string; kind: string }): GroupResource => ({
  group: groupOf(watched.apiVersion),
  resource: resourceOf(watched.kind),
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
