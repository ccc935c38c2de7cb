// Puts images of the installation's own registry in the place of those that a module names. Example: `europe.example/kyma/agent:1.2` in
// the place of `docker.io/library/agent:1.2`, since name and tag are the same.
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { withContainers, withPod } from './workload.ts'

/** Images of containers, and values of their variables, in Deployments and StatefulSets. */
export const localized = (object: KubeObject, images: readonly string[]): KubeObject => {
  const byName = new Map(images.flatMap(image => nameAndTag(image).map(name => [name, image] as const)))
  const replaced = (text: unknown): unknown => {
    const [name] = typeof text === 'string' ? nameAndTag(text) : []
    return (name && byName.get(name)) ?? text
  }
  return byName.size === 0
    ? object
    : withPod(object, pod => withContainers(pod, one => localizedContainer(one, replaced)))
}

const localizedContainer = ({ image, env, ...container }: JsonMap, replaced: (text: unknown) => unknown): JsonMap => ({
  ...container,
  ...(image !== undefined && { image: replaced(image) }),
  ...(env !== undefined && {
    env: Array.isArray(env)
      ? env.map(one => (isMap(one) && 'value' in one ? { ...one, value: replaced(one.value) } : one))
      : env,
  }),
})

/** `agent:1.2` of `europe.example:5000/kyma/agent:1.2@sha256:…`; none of a name without a tag, which may be any version. */
const nameAndTag = (image: string): string[] => {
  const [name = ''] = image.split('@')
  return name
    .split('/')
    .slice(-1)
    .filter(last => last.includes(':'))
}
