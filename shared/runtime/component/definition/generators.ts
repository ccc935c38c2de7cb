// Generators for definitions, also for a Helm chart or a kustomization in a folder, and transformers of parameters and objects.
import { join } from 'node:path'
import { type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { folderAt } from '../../../outside/chart-folder.ts'
import type { Render } from '../../../render/generator.ts'
import type { Order, Recipe } from '../../../render/order.ts'
import { type Kustomizing, refuseUntargeted } from '../../../render/transformers.ts'
import type { Generator, GeneratorContext } from './definition.ts'

/**
 * Renders an order or a pure function with the parameters.
 *
 *   const generator = rendering(() => ({ objects: [website] }))
 */
export const rendering =
  (render: Render | Order): Generator =>
  (context, namespace, name, parameters) =>
    context.render(render, { namespace, name, parameters })

/**
 * Renders the Helm chart in a folder with the component's parameters as values. If the folder cannot be read, the status of each component
 * reports an error with the folder.
 *
 *   const generator = helmChart(import.meta.dirname, 'chart')
 */
export const helmChart = (...folder: readonly string[]): Generator => folderGenerator({ is: 'chart' }, join(...folder))

/**
 * Renders the kustomization in a folder, whose files are templates with the parameters.
 *
 *   const generator = kustomization(import.meta.dirname, 'deploy')
 */
export const kustomization = (...folder: readonly string[]): Generator =>
  folderGenerator({ is: 'kustomization', path: '' }, join(...folder))

const folderGenerator = (recipe: Recipe, folder: string): Generator => {
  let ready: Generator | undefined
  return async (...given) => {
    ready ??= await generatorOf(recipe, folder)
    return ready(...given)
  }
}

const generatorOf = async (recipe: Recipe, folder: string): Promise<Generator> => {
  const { files, digest } = await folderAt(folder)
  return rendering({ recipe, artifact: { key: digest, called: `the folder ${folder}`, packed: { files } } })
}

/** `into`: the generator's namespace and name. */
type ParameterTransformer = (
  parameters: JsonMap,
  context: GeneratorContext,
  into: { readonly namespace: string; readonly name: string },
) => JsonMap | Promise<JsonMap>

type ObjectTransformer = (
  objects: readonly KubeObject[],
  context: GeneratorContext,
) => readonly KubeObject[] | Promise<readonly KubeObject[]>

/** Transformers run in the order in which they were added. */
type Transformable = Generator & {
  withParameters(transformer: ParameterTransformer): Transformable
  withObjects(transformer: ObjectTransformer): Transformable
}

/**
 * The generator, with methods that add transformers of its parameters and objects.
 *
 *   const generator = transformable(helmChart(import.meta.dirname, 'chart'))
 *     .withParameters(({ size, ...values }) => ({ ...values, replicas: size }))
 *     .withObjects(objects => objects.filter(({ kind }) => kind !== 'PodDisruptionBudget'))
 */
export const transformable = (generator: Generator): Transformable => around(generator, { before: [], after: [] })

type Transformers = { readonly before: readonly ParameterTransformer[]; readonly after: readonly ObjectTransformer[] }

const around = (generator: Generator, { before, after }: Transformers): Transformable => {
  const generate: Generator = async (context, namespace, name, given) => {
    let parameters = given
    for (const transform of before) parameters = await transform(parameters, context, { namespace, name })
    let objects: readonly KubeObject[] = await generator(context, namespace, name, parameters)
    for (const transform of after) objects = await transform(objects, context)
    return [...objects]
  }
  return Object.assign(generate, {
    withParameters: (transformer: ParameterTransformer) =>
      around(generator, { before: [...before, transformer], after }),
    withObjects: (transformer: ObjectTransformer) => around(generator, { before, after: [...after, transformer] }),
  })
}

/**
 * Replaces the parameters by a rendered YAML template, which also gets `.Namespace` and `.Name`.
 *
 *   const generator = transformable(helmChart(import.meta.dirname, 'chart'))
 *     .withParameters(templateParameters('fullname: web-{{ .Name }}'))
 */
export const templateParameters =
  (text: string): ParameterTransformer =>
  async (given, context, { namespace, name }) => {
    const parameters = { ...given, Namespace: namespace, Name: name }
    const [made] = await context.render({ recipe: { is: 'parameters', text } }, { namespace, name, parameters })
    return mapOrEmpty(made?.parameters)
  }

/**
 * Applies patches and images to the objects. Throws a RenderError for a patch without target.
 *
 *   const generator = transformable(helmChart(import.meta.dirname, 'chart'))
 *     .withObjects(kustomizeObjects({ images: [{ name: 'nginx', newTag: '1.29' }] }))
 */
export const kustomizeObjects = (kustomizing: Kustomizing): ObjectTransformer => {
  refuseUntargeted(kustomizing)
  return (objects, context) => {
    const { componentNamespace: namespace, componentName: name } = context
    return context.render(
      { recipe: { is: 'kustomized', ...kustomizing } },
      { namespace, name, parameters: { objects } },
    )
  }
}
