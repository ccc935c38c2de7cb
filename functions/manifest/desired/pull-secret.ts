// Workloads of modules pull their images with the Secret that every runtime has for that: the kubelet's by imagePullSecrets, and the
// module's own operator, which makes workloads itself, by a variable that names it.
import { type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { isManager } from '../rules/readiness.ts'
import { podOf, withPod } from './workload.ts'

export const pullSecretVariable = 'SKR_IMG_PULL_SECRET'

/** The same object where it is no workload, or `name` is undefined. */
export const pullingWith = (object: KubeObject, name: string | undefined, manifest: Manifest): KubeObject =>
  name === undefined
    ? object
    : withPod(object, ({ imagePullSecrets, ...pod }) => ({
        ...pod,
        imagePullSecrets: [...(Array.isArray(imagePullSecrets) ? imagePullSecrets : []), { name }],
        ...(isManager(object, manifest) && { containers: mapsIn(pod.containers).map(one => withVariable(one, name)) }),
      }))

/** The workloads whose containers have the variable already: nobody could tell whose value is right. */
export const variableTwice = (objects: readonly KubeObject[], manifest: Manifest): string[] =>
  objects
    .filter(object => isManager(object, manifest))
    .filter(object => mapsIn(podOf(object)?.containers).some(one => environment(one).some(isOurs)))
    .map(object => refText(refOf(object)))

const withVariable = (container: JsonMap, value: string): JsonMap => ({
  ...container,
  env: [...environment(container), { name: pullSecretVariable, value }],
})

const environment = ({ env }: JsonMap): unknown[] => (Array.isArray(env) ? env : [])

const isOurs = (variable: unknown): boolean => mapOrEmpty(variable).name === pullSecretVariable
