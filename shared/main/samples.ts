// What `npm start` puts into a cluster, and by which signs it shows that the functions did their work on it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { hasFinalizer, type KubeObject } from '../core/object.ts'

const manifests = join(import.meta.dirname, '..', '..', 'manifests')

const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

/** `own` is the namespace our functions keep their things in. */
export const namespaces = (own: string): KubeObject[] => [namespace(own), namespace('garden')]

export const definitions = (): KubeObject[] =>
  readdirSync(join(manifests, 'crds'))
    .filter(file => file.endsWith('.yaml'))
    .flatMap(file => objectsIn(join(manifests, 'crds', file)))

export const samples = (): KubeObject[] => objectsIn(join(manifests, 'samples', 'start.yaml'))

/** YAML as kubectl reads it. */
const objectsIn = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1' }).map(document => document.toJS() as KubeObject)

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
