// A renderer that computes parameters with a template, and transformers of rendered objects: patches, images, substitution of variables.
import { rethrown } from '../core/decisions/reading.ts'
import { isMap, type JsonMap } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { readYaml, YamlError } from '../core/yaml/read.ts'
import { type Render, RenderError } from './generator.ts'
import { built } from './kustomize/kustomize.ts'
import { answered, Environment, execute, goValue, parseTemplates } from './template/template.ts'

const parametersKind = { apiVersion: 'v1', kind: 'Parameters', metadata: { name: 'parameters' } }

/** Executes `text`, a template that writes YAML, with the parameters. The result is in the field `parameters` of one pseudo-object. */
export const parametersFrom = (text: string): Render => {
  const name = 'parameters'
  const set = parseTemplates([{ name, text }])
  return (context, parameters) => {
    const environment = new Environment(context)
    const written = answered(environment, () => execute(set, name, goValue(parameters), environment))
    if ('needs' in written) return written
    return { objects: [{ ...parametersKind, parameters: mapIn(written.result) }] }
  }
}

const mapIn = (text: string): JsonMap => {
  const read = rethrown(
    YamlError,
    () => readYaml(text) ?? {},
    ({ message, line }) =>
      new RenderError(`the template of the parameters results in invalid YAML: ${message}`, {
        blame: { kind: 'yaml', file: 'the template of the parameters', line },
      }),
  )
  if (isMap(read)) return read
  throw new RenderError('the template of the parameters does not result in a map')
}

export const kustomized = (kustomizing: Kustomizing): ObjectTransformer => {
  refuseUntargeted(kustomizing)
  const { patches = [], images = [] } = kustomizing
  return objects => {
    const kustomization = { resources: ['objects.yaml'], patches, images }
    const documents = objects.map(object => JSON.stringify(object)).join('\n---\n')
    return built(
      new Map([
        ['kustomization.yaml', Buffer.from(JSON.stringify(kustomization))],
        ['objects.yaml', Buffer.from(documents)],
      ]),
    )
  }
}

export type Kustomizing = {
  /** Each patch needs a `target`: without a target, kustomize patches only the object with the patch's own kind and name. */
  readonly patches?: readonly JsonMap[]
  readonly images?: readonly JsonMap[]
}

export const refuseUntargeted = ({ patches = [] }: Kustomizing): void => {
  const untargeted = patches.findIndex(({ target }) => !isMap(target))
  if (untargeted >= 0) throw new RenderError(`patch ${untargeted + 1} has no target`)
}

type ObjectTransformer = (objects: readonly KubeObject[]) => readonly KubeObject[]

type ObjectSelector = (object: KubeObject) => boolean

/**
 * Replaces `${NAME}` in every text of the selected objects with the value of NAME. Unknown names stay.
 *
 *   const [named] = substitute({ NAME: 'shop' })([{ ...website, spec: { greeting: 'hello ${NAME}' } }])
 *   named?.spec // { greeting: 'hello shop' }
 */
export const substitute =
  (values: Readonly<Record<string, string>>, selector: ObjectSelector = () => true): ObjectTransformer =>
  objects =>
    objects.map(object => (selector(object) ? (substituted(object, values) as KubeObject) : object))

const substituted = (value: unknown, values: Readonly<Record<string, string>>): unknown => {
  if (typeof value === 'string')
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
    )
  if (Array.isArray(value)) return value.map(element => substituted(element, values))
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, substituted(inner, values)]))
}
