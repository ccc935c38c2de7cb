// A metric with the state of each object that a function keeps, as in `espalier get` and the console.
import { includesOrAll, namesResource } from '../../api/access-rule.ts'
import type { FunctionSettings } from '../../api/serverless.ts'
import type { Measurement, Metric } from '../../core/decisions/measurement.ts'
import { type GroupVersionKind, groupOf, type KubeObject } from '../../core/objects/object.ts'
import { groupResourceOf, type NamedKind } from '../../core/objects/resource-name.ts'
import type { Reads } from '../../kube/client-types.ts'
import type { ReconcileFunction, SeenMetrics } from '../../runtime/definition.ts'
import { stateOf } from '../../runtime/why/state.ts'

export const objectState: Metric = {
  name: 'espalier_object_state',
  type: 'gauge',
  labels: ['group', 'kind', 'namespace', 'name', 'state'],
  help: 'The state of an object as espalier get and the console say it: ready, waiting, failed, deleting or suspended; always 1',
}

type Served = { readonly definition: ReconcileFunction; readonly settings: Pick<FunctionSettings, 'access'> }

/** Unreadable kinds are left out. */
export const objectStates = (served: readonly Served[], now: () => Date): SeenMetrics => {
  const kept = served.filter(({ definition }) => definition.keepsState)
  return {
    metrics: kept.length > 0 ? [objectState] : [],
    read: async ({ reads }) => {
      const lists = kept.flatMap(({ definition: { kind }, settings }) =>
        placesOf(kind, settings).map(namespace =>
          statesIn({ ...kind, namespace }, { reads, now: now() }).catch(() => []),
        ),
      )
      return (await Promise.all(lists)).flat()
    },
  }
}

/** The namespaces in which the function may list its kind; undefined: all. */
const placesOf = (kind: NamedKind, { access }: Served['settings']): (string | undefined)[] => {
  const own = access.filter(rule => namesResource(rule, groupResourceOf(kind)) && includesOrAll(rule.verbs, 'list'))
  return own.some(({ namespaces }) => !namespaces)
    ? [undefined]
    : [...new Set(own.flatMap(rule => rule.namespaces ?? []))]
}

/** Small, because parsing a large page would delay webhooks. */
const pageSize = 100

const statesIn = async (
  { namespace, ...kind }: GroupVersionKind & { readonly namespace: string | undefined },
  { reads, now }: { readonly reads: Reads; readonly now: Date },
): Promise<Measurement[]> => {
  const keep = (object: KubeObject): KubeObject => ({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name: object.metadata.name, namespace: object.metadata.namespace },
    status: { is: stateOf(object, now).is },
  })
  const objects = await reads.list({ ...kind, ...(namespace && { namespace }), keep, pageSize, fromCache: true })
  return objects.map(object => measured(object as Kept))
}

type Kept = KubeObject & { readonly status: { readonly is: string } }

const measured = ({ apiVersion, kind, metadata: { namespace = '', name }, status }: Kept): Measurement => ({
  metric: objectState.name,
  labels: { group: groupOf(apiVersion), kind, namespace, name, state: status.is },
  set: 1,
})
