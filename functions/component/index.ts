// component: keeps the objects of a Component as its chart, kustomization or list of manifests declares them.
import { type ComponentSpec, componentName } from '../../shared/api/component.ts'
import { component as componentOf, type Generator } from '../../shared/runtime/component.ts'
import { artifactOf, manifestsIn, order, references, sourceOf } from './gather.ts'

const generator: Generator = (context, namespace, name, parameters) => {
  const spec = parameters as ComponentSpec
  if (spec.source.manifests) return manifestsIn(spec.source.manifests)
  const textOf = (index: number) => context.reference(`spec.valuesFrom.${index}`) as string | undefined
  const ordered = order(spec, artifactOf(context), textOf)
  return context.render(ordered, { namespace, name, parameters: spec.values ?? {} })
}

export const componentFunction = componentOf({
  name: componentName,
  kind: { group: 'core.espalier.dev', version: 'v1alpha1', kind: 'Component', plural: 'components' },
  generator,
  options: {
    references,
    hasPureGenerator: true,
    // Shows which artifact is in use.
    notes: context => ({ source: sourceOf(context) }),
  },
})
