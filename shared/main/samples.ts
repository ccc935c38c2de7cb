// The objects that `npm start` applies, and by which signs it shows that the functions did their work on them.
import { join } from 'node:path'
import { hasFinalizer, type KubeObject } from '../core/object.ts'
import { manifestsFolder, objectsIn } from './manifest-files.ts'

export const samples = (): KubeObject[] => objectsIn(join(manifestsFolder, 'samples', 'start.yaml'))

/** What a person wants to know of a sample; `isDone` once nothing more is to come. */
export type State = { isDone: boolean; text: string }

const protection = 'gardener.cloud/reference-protection'

const waiting: State = { isDone: false, text: 'waiting' }

const protectedState = (object: KubeObject): State =>
  hasFinalizer(object, protection) ? { isDone: true, text: 'protected from deletion' } : waiting

const states: Readonly<Record<string, (object: KubeObject) => State>> = {
  Garden: object =>
    hasFinalizer(object, protection) ? { isDone: true, text: 'its references are protected' } : waiting,
  Secret: protectedState,
  ConfigMap: protectedState,
}

export const stateOf = (object: KubeObject | undefined): State => (object && states[object.kind]?.(object)) ?? waiting
