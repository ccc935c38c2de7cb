// Annotations that change the stand-in node, and its names: all words of its own are here.

/** On a Pod (or in a template): how its containers shall behave. */
export const behaviourAnnotation = 'node.espalier/behaviour'

export type Behaviour =
  /** Runs, and becomes ready; a Pod of a Job completes. */
  | 'run'
  /** Containers end with exit code 1; the Pod's restart policy says what follows. */
  | 'fail'
  /** Containers run and never become ready; a Pod of a Job never completes. */
  | 'hang'
  /** Containers end with exit code 1 and are started again and again, whatever the restart policy. */
  | 'crash-loop'

const behaviours: readonly Behaviour[] = ['run', 'fail', 'hang', 'crash-loop']

export const behaviourOf = (annotations: Readonly<Record<string, string>> | undefined): Behaviour =>
  behaviours.find(each => each === annotations?.[behaviourAnnotation]) ?? 'run'

export const nodeName = 'embedded-node'
export const nodeAddress = '10.0.0.1'

export type NodeOptions = {
  /** How long each simulated step of a Pod takes: starting, becoming ready, completing, stopping. */
  readonly stepMilliseconds?: number
  /** How long a second of `minReadySeconds` takes; 1000 unless told. */
  readonly secondMilliseconds?: number
}

/** How fast simulated time goes. */
export type Pace = Required<NodeOptions>

export const realPace: Pace = { stepMilliseconds: 500, secondMilliseconds: 1000 }

const leastPause = 100
const mostDoublings = 9

/** How long containers that failed wait before they are started again, and failed work is tried again: it doubles. */
export const pauseMilliseconds = (stepMilliseconds: number, failures: number): number =>
  Math.max(stepMilliseconds, leastPause) * 2 ** Math.min(failures, mostDoublings)
