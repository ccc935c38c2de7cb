// What can be laid around a generator: parameters that are a template of themselves, `${NAME}` in texts, and patches and
// images as a kustomization has them. Pure.
import { isMap, type JsonMap } from '../core/json.ts'
import type { KubeObject } from '../core/object.ts'
import { type Render, RenderError } from './generator.ts'
import { built } from './kustomize/build.ts'
import { answered, Environment, execute, goValue, parseTemplates } from './template/template.ts'
import { readYaml, YamlError } from './yaml/read.ts'

export type ObjectTransformer = (objects: readonly KubeObject[]) => readonly KubeObject[]

const parametersKind = { apiVersion: 'v1', kind: 'Parameters', metadata: { name: 'parameters' } }

/** Renders one pseudo-object whose `parameters` are what the text, a template of YAML, makes of the parameters. */
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
  try {
    const read = readYaml(text) ?? {}
    if (isMap(read)) return read
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new RenderError(`the template of the parameters makes no YAML: ${error.message}`, { cause: error })
  }
  throw new RenderError('the template of the parameters makes no map')
}

export type ObjectSelector = (object: KubeObject) => boolean

/** `${NAME}` becomes the value of that name in every text of the selected objects; names that are not given stay. */
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

export type Kustomizing = {
  /** As in a kustomization; each must name its target, since one without would patch by its own identity alone. */
  readonly patches?: readonly JsonMap[]
  readonly images?: readonly JsonMap[]
}

/** Throws where a patch has no target. */
export const kustomizeObjects = ({ patches = [], images = [] }: Kustomizing): ObjectTransformer => {
  const untargeted = patches.findIndex(({ target }) => !isMap(target))
  if (untargeted >= 0) throw new RenderError(`patch ${untargeted + 1} has no target`)
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
