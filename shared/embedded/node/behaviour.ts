// Names of the stand-in node, its speed, and the annotation that changes the behaviour of containers.

/** An annotation of a Pod or its template that defines the behaviour of the containers. */
export const behaviourAnnotation = 'node.espalier/behaviour'

export type Behaviour = 'run' | 'fail' | 'hang' | 'crash-loop'

const behaviours: readonly Behaviour[] = ['run', 'fail', 'hang', 'crash-loop']

export const behaviourOf = (annotations: Readonly<Record<string, string>> | undefined): Behaviour =>
  behaviours.find(each => each === annotations?.[behaviourAnnotation]) ?? 'run'

export const nodeName = 'embedded-node'
export const nodeAddress = '10.0.0.1'

export type NodeOptions = {
  /** Duration of each simulated step of a Pod: starting, becoming ready, completing, stopping. */
  readonly stepMilliseconds?: number
  /** Length of a second of `minReadySeconds`; 1000 by default. */
  readonly secondMilliseconds?: number
}

export type Pace = Required<NodeOptions>

export const realPace: Pace = { stepMilliseconds: 500, secondMilliseconds: 1000 }

const leastPause = 100
const mostDoublings = 9

/** The pause before failed containers start again or a refused write is repeated. The pause doubles with each failure. */
export const pauseMilliseconds = (stepMilliseconds: number, failures: number): number =>
  Math.max(stepMilliseconds, leastPause) * 2 ** Math.min(failures, mostDoublings)
