// `helm(files)`: renders a chart in this process, as Helm would, into objects for the engine.
import type { KubeObject } from '../../core/objects/object.ts'
import { blaming } from '../blame.ts'
import type { At, Files, Render } from '../generator.ts'
import { withoutHelmAnnotations } from './objects/hooks.ts'
import { template } from './template.ts'

/** The parameters are the chart's values. Throws RenderError where the files are no chart that can be rendered. */
export const helm = (files: Files, at?: At): Render => {
  const render = template(files, at)
  return (context, parameters) =>
    blaming({ kind: 'unrenderable', of: 'chart' }, () => {
      const rendering = render(context, parameters)
      if ('needs' in rendering) return rendering
      const { objects, places } = rendering
      return { objects: withoutHelmAnnotations(withoutRepeatedDefinitions(objects), places, context) }
    })
}

/** A subchart that is used under two names brings its definitions twice; Helm leaves alone what is there already. */
const withoutRepeatedDefinitions = (objects: readonly KubeObject[]): KubeObject[] => {
  const names = new Set<string>()
  return objects.filter(({ kind, metadata: { name } }) => {
    const isRepeated = kind === 'CustomResourceDefinition' && names.has(name)
    if (kind === 'CustomResourceDefinition') names.add(name)
    return !isRepeated
  })
}
