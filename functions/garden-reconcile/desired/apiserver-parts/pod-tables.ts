// Files and flags of a program as tables: one row per volume, with the Secret or ConfigMap to mount, and one row per flag.
//
//   podFiles([bundleFiles('ca', '/srv/kubernetes/ca'), ownFiles('audit', '/etc/kubernetes/audit', auditPolicy)], { world })
//   flagTexts([{ flag: 'event-ttl', value: ({ ttl }) => ttl }, ...fixedFlags({ profiling: false })], { ttl: '1h' })
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { bundleNow, secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { BundledName, SecretConfigName } from '../../rules/secrets/secret-configs.ts'
import type { World } from '../../world.ts'

export type MountedFiles<About> = {
  readonly volume: string
  readonly folder: string
  /** The object to mount. undefined: the Pod has no such volume. */
  readonly from: (about: About) => KubeObject | undefined
  readonly isOurs?: boolean
}

type InWorld = { readonly world: World }

/** The current key or certificate, in a volume of the same name. */
export const secretFiles = (volume: SecretConfigName, folder: string): MountedFiles<InWorld> => ({
  volume,
  folder,
  from: ({ world }) => secretNow(world, volume),
})

/** All accepted keys or CAs, in a volume of the same name. */
export const bundleFiles = (volume: BundledName, folder: string): MountedFiles<InWorld> => ({
  volume,
  folder,
  from: ({ world }) => bundleNow(world, volume),
})

/** An object only for this Pod, applied together with the Deployment. */
export const ownFiles = <About>(
  volume: string,
  folder: string,
  from: MountedFiles<About>['from'],
): MountedFiles<About> => ({ volume, folder, isOurs: true, from })

export const podFiles = <About>(table: readonly MountedFiles<About>[], about: About) => {
  const shown = table.flatMap(({ from, ...row }) => {
    const object = from(about)
    return object ? [{ ...row, object }] : []
  })
  return {
    volumes: shown.map(({ volume, object }) => ({ name: volume, ...sourceOf(object) })),
    volumeMounts: shown.map(({ volume, folder }) => ({ name: volume, mountPath: folder, readOnly: true })),
    configObjects: shown.flatMap(({ object, isOurs }) => (isOurs ? [object] : [])),
  }
}

const sourceOf = ({ kind, metadata: { name } }: KubeObject): JsonMap =>
  kind === 'ConfigMap' ? { configMap: { name } } : { secret: { secretName: name, defaultMode: 0o640 } }

export type Flag<About> = {
  readonly flag: string
  /** undefined: the flag is absent. A list: the flag is repeated for each item. */
  readonly value: (about: About) => string | number | boolean | readonly string[] | undefined
}

export const flagTexts = <About>(flags: readonly Flag<About>[], about: About): string[] =>
  flags.flatMap(({ flag, value }) => [value(about) ?? []].flat().map(one => `--${flag}=${one}`))

/** Rows of flags that never change: `fixedFlags({ profiling: false })`. */
export const fixedFlags = (values: Readonly<Record<string, string | number | boolean>>): Flag<unknown>[] =>
  Object.entries(values).map(([flag, value]) => ({ flag, value: () => value }))

/** For example `a,b`. undefined for an empty list. */
export const joined = (values: readonly string[] | undefined): string | undefined =>
  values && values.length > 0 ? values.join() : undefined

/** For example `A=true,B=false`, sorted. undefined for an empty map. */
export const switches = (values: Readonly<Record<string, boolean>> | undefined): string | undefined =>
  joined(
    Object.entries(values ?? {})
      .map(([name, isOn]) => `${name}=${isOn}`)
      .sort(),
  )

/** The cipher suites of the virtual garden's servers. */
export const tlsCipherSuites = [
  ...['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
  ...['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305'],
] as const
