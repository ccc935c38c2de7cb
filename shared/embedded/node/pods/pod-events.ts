// Events of the node about a Pod's containers at each step of the Pod's life. Pure: made of the Pod before that step.
import type { KubeObject } from '../../../core/objects/object.ts'
import { fieldsAt, listAt, mapsAt, textAt } from '../../value.ts'
import { behaviourOf } from '../behaviour.ts'
import {
  type Container,
  containerBackOff,
  containerStarted,
  containerStopping,
  containerUnready,
  type EventContent,
} from '../node-events.ts'
import type { Doing } from './pod-status.ts'

type Teller = (pod: KubeObject) => EventContent[]

const containersIn = (pod: KubeObject, field: string): Container[] =>
  mapsAt(pod, 'spec', field).map(container => {
    const name = textAt(container, 'name')
    return { name, image: textAt(container, 'image'), fieldPath: `spec.${field}{${name}}` }
  })

const containers = (pod: KubeObject): Container[] => containersIn(pod, 'containers')

const isRunning = (pod: KubeObject): boolean =>
  listAt(pod, 'status', 'containerStatuses').some(status => fieldsAt(status, 'state', 'running') !== undefined)

const hasStarted = (pod: KubeObject): boolean =>
  listAt(pod, 'status', 'containerStatuses').some(status => textAt(status, 'containerID') !== '')

/** Containers that run already are not started; the first time those that prepare the Pod go before them. */
const started: Teller = pod => {
  if (isRunning(pod)) return []
  const first = hasStarted(pod) ? [] : containersIn(pod, 'initContainers')
  return [...first, ...containers(pod)].flatMap(containerStarted)
}

const hangs = (pod: KubeObject): boolean => behaviourOf(pod.metadata.annotations) === 'hang'

const tellers: Readonly<Record<Doing | 'gone', Teller>> = {
  creating: () => [],
  unconfigured: () => [],
  running: pod => [...started(pod), ...(hangs(pod) ? containers(pod).map(containerUnready) : [])],
  ready: started,
  failing: pod => [...started(pod), ...containers(pod).map(container => containerBackOff(pod, container))],
  failed: started,
  succeeded: started,
  gone: pod => (isRunning(pod) ? containers(pod).map(containerStopping) : []),
}

export const podEvents = (pod: KubeObject, doing: Doing | 'gone'): EventContent[] => tellers[doing](pod)
