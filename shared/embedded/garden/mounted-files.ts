// Flags and files of a Deployment's first container. Files are looked up in the Secrets that its Pods mount.
//
//   flagValue(deployment, 'tls-cert-file') // '/srv/kubernetes/apiserver/tls.crt'
//   mountedText(deployment, '/srv/kubernetes/apiserver/tls.crt', secretNamed)
import type { KubeObject } from '../../core/objects/object.ts'
import { secretText } from '../../core/objects/secret-text.ts'
import { fieldsAt, type JsonMap, listAt, textAt } from '../value.ts'

const podOf = (deployment: KubeObject): JsonMap => fieldsAt(deployment, 'spec', 'template', 'spec') ?? {}

const container = (deployment: KubeObject): unknown => listAt(podOf(deployment), 'containers')[0]

/** All values of a flag that may be given several times. */
export const flagValues = (deployment: KubeObject, flag: string): string[] =>
  [...listAt(container(deployment), 'command'), ...listAt(container(deployment), 'args')]
    .map(String)
    .filter(argument => argument.startsWith(`--${flag}=`))
    .map(argument => argument.slice(flag.length + 3))

type SecretNamed = (name: string) => KubeObject | undefined

/** undefined where nothing is mounted there, or its Secret has no such key. */
export const mountedText = (deployment: KubeObject, path: string, secretNamed: SecretNamed): string | undefined => {
  const mount = listAt(container(deployment), 'volumeMounts').find(one =>
    path.startsWith(`${textAt(one, 'mountPath')}/`),
  )
  const volume = listAt(podOf(deployment), 'volumes').find(one => textAt(one, 'name') === textAt(mount, 'name'))
  const file = path.slice(textAt(mount, 'mountPath').length + 1)
  for (const { name, key } of sourcesOf(volume, file)) {
    const text = secretText(secretNamed(name), key)
    if (text) return text
  }
  return undefined
}

/** The Secrets of a volume, each with the key that becomes this file. */
const sourcesOf = (volume: unknown, file: string): { name: string; key: string }[] =>
  [fieldsAt(volume, 'secret'), ...listAt(volume, 'projected', 'sources').map(one => fieldsAt(one, 'secret'))].map(
    secret => {
      const item = listAt(secret, 'items').find(one => textAt(one, 'path') === file)
      return { name: textAt(secret, 'secretName') || textAt(secret, 'name'), key: textAt(item, 'key') || file }
    },
  )
