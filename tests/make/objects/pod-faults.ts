// What is wrong with the Pods that a workload would make: what an API server would refuse, and what no program would start with.
import { valueAt } from '../../../shared/core/json/fields.ts'
import { type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** Of the template of a workload; none for anything else. */
export const podFaults = ({ spec }: KubeObject): string[] => {
  const template = valueAt(spec, 'template')
  const pod = mapOrEmpty(mapOrEmpty(template).spec)
  const containers = [...mapsIn(pod.initContainers), ...mapsIn(pod.containers)]
  if (containers.length === 0) return []
  const claims = mapsIn(mapOrEmpty(spec).volumeClaimTemplates).map(({ metadata }) => mapOrEmpty(metadata).name)
  const volumes = [...mapsIn(pod.volumes).map(({ name }) => name), ...claims]
  const mounted = containers.flatMap(({ volumeMounts }) => mapsIn(volumeMounts).map(({ name }) => name))
  return [
    ...twice(volumes, 'volume'),
    ...mounted.filter(name => !volumes.includes(name)).map(name => `mounts ${name}, which is no volume`),
    ...volumes.filter(name => !mounted.includes(name)).map(name => `has the volume ${name}, which nobody mounts`),
    ...mapsIn(pod.volumes).flatMap(volumeFaults),
    ...twice(
      containers.map(({ name }) => name),
      'container',
    ),
    ...containers.flatMap(container => containerFaults(container)),
    ...selectorFaults(mapOrEmpty(spec), mapOrEmpty(template)),
  ]
}

const twice = (names: readonly unknown[], what: string): string[] =>
  names.filter((name, at) => names.indexOf(name) !== at).map(name => `has the ${what} ${String(name)} twice`)

/** A file may be mounted once, and shows one source. */
const volumeFaults = ({ name, ...sources }: JsonMap): string[] => {
  const paths = mapsIn(mapOrEmpty(sources.projected).sources).flatMap(source =>
    Object.values(source).flatMap(one => mapsIn(mapOrEmpty(one).items).map(({ path }) => path)),
  )
  return [
    ...(Object.keys(sources).length === 1 ? [] : [`volume ${String(name)} has not one source`]),
    ...twice(paths, `file of volume ${String(name)}`),
  ]
}

const containerFaults = (container: JsonMap): string[] => {
  const args = Array.isArray(container.args) ? container.args.map(String) : []
  const flags = args.map(arg => arg.split('=')[0] ?? '')
  const ports = mapsIn(container.ports)
  return [
    ...twice(
      mapsIn(container.volumeMounts).map(({ mountPath, subPath }) => `${mountPath} ${subPath ?? ''}`),
      'mount',
    ),
    ...twice(
      mapsIn(container.env).map(({ name }) => name),
      'variable',
    ),
    ...twice(
      ports.map(({ containerPort, protocol }) => `${containerPort}/${protocol}`),
      'port',
    ),
    ...twice(
      ports.flatMap(({ name }) => name ?? []),
      'port name',
    ),
    ...ports.flatMap(({ name }) => (name === undefined || isPortName(String(name)) ? [] : [`names a port ${name}`])),
    ...twice(
      flags.filter(flag => flag.startsWith('-') && !lists.includes(flag)),
      'flag',
    ),
    ...twice(args, 'argument'),
  ]
}

/** Flags that say one more thing each time. */
const lists = ['--service-account-issuer', '--oidc-required-claim', '--tls-sni-cert-key']

const isPortName = (name: string): boolean =>
  name.length <= 15 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) && /[a-z]/.test(name)

/** A workload that does not select what it makes is refused. */
const selectorFaults = ({ selector }: JsonMap, { metadata }: JsonMap): string[] => {
  const labels = mapOrEmpty(mapOrEmpty(metadata).labels)
  return Object.entries(mapOrEmpty(mapOrEmpty(selector).matchLabels))
    .filter(([key, value]) => labels[key] !== value)
    .map(([key]) => `does not select its own Pods by ${key}`)
}
