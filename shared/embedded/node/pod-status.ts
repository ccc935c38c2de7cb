// The status of a Pod at each step of its life, in the form of a kubelet, the Events about its containers, and the Secrets and ConfigMaps
// that are missing for their environment.
import type { KubeObject } from '../../core/objects/object.ts'
import { type Condition, conditionsOf, withConditions } from '../conditions.ts'
import type { Store } from '../storage/store.ts'
import { nowText } from '../time.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapsAt, numberAt, textAt } from '../value.ts'
import { behaviourOf, nodeAddress } from './behaviour.ts'
import {
  type Container,
  containerBackOff,
  containerStarted,
  containerStopping,
  containerUnready,
  type EventContent,
} from './node-events.ts'

export type Doing = 'creating' | 'unconfigured' | 'running' | 'ready' | 'failing' | 'failed' | 'succeeded'

const phases: Readonly<Record<Doing, string>> = {
  creating: 'Pending',
  unconfigured: 'Pending',
  running: 'Running',
  ready: 'Running',
  failing: 'Running',
  failed: 'Failed',
  succeeded: 'Succeeded',
}

type Circumstances = {
  readonly address: string
  readonly faults: ConfigFaults
}

export const podStatus = (pod: KubeObject, doing: Doing, { address, faults }: Circumstances): JsonMap => {
  const before = fieldsAt(pod, 'status') ?? {}
  const ip = address || textAt(before, 'podIP')
  const isStarted = doing !== 'creating'
  return {
    ...before,
    phase: phases[doing],
    observedGeneration: pod.metadata.generation,
    conditions: withConditions(conditionsOf(pod), conditions(pod, doing), {
      observedGeneration: pod.metadata.generation,
      lastProbeTime: null,
    }),
    hostIP: nodeAddress,
    hostIPs: [{ ip: nodeAddress }],
    startTime: before.startTime ?? nowText(),
    ...(isStarted && { podIP: ip, podIPs: [{ ip }] }),
    initContainerStatuses: containers(pod, 'initContainers').map(
      each => faulty(each, faults) ?? initStatus(each, doing, before),
    ),
    containerStatuses: containers(pod, 'containers').map(
      each => faulty(each, faults) ?? containerStatus(each, doing, before),
    ),
  }
}

const containers = (pod: KubeObject, field: string): JsonMap[] => mapsAt(pod, 'spec', field)

const unready = { reason: 'ContainersNotReady' }
const completed = { reason: 'PodCompleted' }

const conditions = (pod: KubeObject, doing: Doing): Condition[] => {
  const names = containers(pod, 'containers').map(({ name }) => name)
  const message = `containers with unready status: [${names.join(' ')}]`
  const why = doing === 'succeeded' ? completed : doing === 'failed' ? { reason: 'PodFailed' } : { ...unready, message }
  const ready = doing === 'ready' ? yes : { status: 'False' as const, ...why }
  const isUp = doing !== 'creating' && doing !== 'failed' && doing !== 'succeeded'
  return [
    { type: 'PodReadyToStartContainers', ...(isUp ? yes : { status: 'False' as const }) },
    { type: 'Initialized', ...yes, ...(doing === 'succeeded' && completed) },
    { type: 'Ready', reason: undefined, message: undefined, ...ready },
    { type: 'ContainersReady', reason: undefined, message: undefined, ...ready },
  ]
}

const yes = { status: 'True' as const }

const statusBefore = (before: JsonMap, list: string, name: unknown): JsonMap | undefined =>
  mapsAt(before, list).find(each => each.name === name)

const identity = ({ name, image }: JsonMap, isStarted: boolean): JsonMap => ({
  name,
  image,
  imageID: isStarted ? `embedded://${image}` : '',
  ...(isStarted && { containerID: `embedded://${name}` }),
})

const containerStatus = (container: JsonMap, doing: Doing, before: JsonMap): JsonMap => {
  const old = statusBefore(before, 'containerStatuses', container.name)
  const restarts = numberAt(old, ['restartCount'])
  const startedAt = textAt(old, 'state', 'running', 'startedAt') || nowText()
  const ended = (exitCode: number, reason: string) => ({
    terminated: { exitCode, reason, startedAt, finishedAt: nowText() },
  })
  const rows: Readonly<Record<Doing, JsonMap>> = {
    creating: { state: { waiting: { reason: 'ContainerCreating' } }, started: false },
    unconfigured: { state: { running: { startedAt } }, started: true },
    running: { state: { running: { startedAt } }, started: true },
    ready: { state: { running: { startedAt } }, started: true, ready: true },
    failing: { state: { waiting: crashLoop }, lastState: ended(1, 'Error'), started: false },
    failed: { state: ended(1, 'Error'), started: false },
    succeeded: { state: ended(0, 'Completed'), started: false },
  }
  const isRestart =
    doing === 'failing' && old?.lastState !== undefined && Object.keys(old.lastState as JsonMap).length > 0
  return {
    ...identity(container, doing !== 'creating'),
    lastState: old?.lastState ?? {},
    ready: false,
    restartCount: isRestart ? restarts + 1 : restarts,
    ...rows[doing],
  }
}

const neverRestarted = { lastState: {}, restartCount: 0, started: false }

const faulty = (container: JsonMap, faults: ConfigFaults): JsonMap | undefined => {
  const message = faults.get(textAt(container, 'name'))
  return message === undefined
    ? undefined
    : {
        ...identity(container, false),
        ...neverRestarted,
        state: { waiting: { reason: 'CreateContainerConfigError', message } },
        ready: false,
      }
}

const crashLoop = { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' }

/** Init containers end before the other containers start. With restartPolicy Always, they continue to run. */
const initStatus = (container: JsonMap, doing: Doing, before: JsonMap): JsonMap => {
  if (doing === 'creating' || container.restartPolicy === 'Always') return containerStatus(container, doing, before)
  const old = statusBefore(before, 'initContainerStatuses', container.name)
  if (isMap(old?.state) && old.state.terminated) return old
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: nowText(), finishedAt: nowText() }
  return { ...identity(container, true), ...neverRestarted, state: { terminated }, ready: true }
}

type EventsOf = (pod: KubeObject) => EventContent[]

const containersIn = (pod: KubeObject, field: string): Container[] =>
  mapsAt(pod, 'spec', field).map(container => {
    const name = textAt(container, 'name')
    return { name, image: textAt(container, 'image'), fieldPath: `spec.${field}{${name}}` }
  })

const namedContainers = (pod: KubeObject): Container[] => containersIn(pod, 'containers')

const isRunning = (pod: KubeObject): boolean =>
  listAt(pod, 'status', 'containerStatuses').some(status => fieldsAt(status, 'state', 'running') !== undefined)

const hasStarted = (pod: KubeObject): boolean =>
  listAt(pod, 'status', 'containerStatuses').some(status => textAt(status, 'containerID') !== '')

/** The Events of started containers. Running containers are not started again. Init containers start first, and only once. */
const started: EventsOf = pod => {
  if (isRunning(pod)) return []
  const first = hasStarted(pod) ? [] : containersIn(pod, 'initContainers')
  return [...first, ...namedContainers(pod)].flatMap(containerStarted)
}

const hangs = (pod: KubeObject): boolean => behaviourOf(pod.metadata.annotations) === 'hang'

const eventsBy: Readonly<Record<Doing | 'gone', EventsOf>> = {
  creating: () => [],
  unconfigured: () => [],
  running: pod => [...started(pod), ...(hangs(pod) ? namedContainers(pod).map(containerUnready) : [])],
  ready: started,
  failing: pod => [...started(pod), ...namedContainers(pod).map(container => containerBackOff(pod, container))],
  failed: started,
  succeeded: started,
  gone: pod => (isRunning(pod) ? namedContainers(pod).map(containerStopping) : []),
}

export const podEvents = (pod: KubeObject, doing: Doing | 'gone'): EventContent[] => eventsBy[doing](pod)

/** The reasons why containers do not start, by container. */
export type ConfigFaults = ReadonlyMap<string, string>

type Source = { readonly collection: string; readonly kind: string; readonly ref: JsonMap | undefined }

const sources = (holder: unknown, [secret, configMap]: readonly [string, string]): Source[] => [
  { collection: 'secrets', kind: 'Secret', ref: fieldsAt(holder, secret) },
  { collection: 'configmaps', kind: 'ConfigMap', ref: fieldsAt(holder, configMap) },
]

export const configFaults = (store: Store, pod: KubeObject): ConfigFaults => {
  const containers = ['initContainers', 'containers'].flatMap(field => mapsAt(pod, 'spec', field))
  const namespace = pod.metadata.namespace ?? ''
  return new Map(
    containers.flatMap(container => {
      const fault = sourcesIn(container)
        .flatMap(source => faultOf(store, namespace, source) ?? [])
        .at(0)
      return fault === undefined ? [] : [[textAt(container, 'name'), fault] as const]
    }),
  )
}

const sourcesIn = (container: JsonMap): Source[] => [
  ...mapsAt(container, 'envFrom').flatMap(each => sources(each, ['secretRef', 'configMapRef'])),
  ...mapsAt(container, 'env').flatMap(each => sources(each.valueFrom, ['secretKeyRef', 'configMapKeyRef'])),
]

const faultOf = (store: Store, namespace: string, { collection, kind, ref }: Source): string | undefined => {
  if (!ref || ref.optional === true) return undefined
  const name = textAt(ref, 'name')
  const found = store.get(collection, `${namespace}/${name}`)?.object
  if (!found) return `${kind.toLowerCase()} ${JSON.stringify(name)} not found`
  const key = textAt(ref, 'key')
  const holds = ['data', 'binaryData'].some(field => Object.hasOwn(fieldsAt(found, field) ?? {}, key))
  return key === '' || holds ? undefined : `couldn't find key ${key} in ${kind} ${namespace}/${name}`
}
