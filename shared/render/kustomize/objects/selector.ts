// Selectors of patches and replacements. A patch's target is found by regular expressions over original and current
// names; a replacement's by exact ones over all names an object ever had.
import { RE2JS } from 're2js'
import { matchesLabels, parseLabelSelector, type Requirement } from '../../../core/objects/label-selector.ts'
import { RenderError } from '../../generator.ts'
import type { Selector } from '../files/arguments.ts'
import { effectiveNamespace, gvkOf, type Identity, isSelected } from './identity.ts'
import type { Resource } from './resource.ts'

/** The objects that a patch is meant for. */
export const selected = (resources: readonly Resource[], selector: Selector): Resource[] => {
  const fits = {
    group: matcher(selector.group),
    version: matcher(selector.version),
    kind: matcher(selector.kind),
    name: matcher(selector.name),
    namespace: matcher(selector.namespace),
  }
  return resources.filter(resource => {
    const { original, current } = resource
    const { group, version, kind } = gvkOf(resource.fields)
    return (
      [original, current].some(identity => fits.namespace(effectiveNamespace(identity))) &&
      [original, current].some(({ name }) => fits.name(name)) &&
      fits.group(group) &&
      fits.version(version) &&
      fits.kind(kind) &&
      hasSelectedTexts(resource, selector)
    )
  })
}

/** Labels and annotations, by the grammar of label selectors. */
export const hasSelectedTexts = (resource: Resource, { labelSelector, annotationSelector }: Selector): boolean =>
  matchesLabels(requirementsOf(annotationSelector ?? ''), resource.texts('annotations')) &&
  matchesLabels(requirementsOf(labelSelector ?? ''), resource.texts('labels'))

const requirementsOf = (selector: string): Requirement[] => {
  try {
    return parseLabelSelector(selector)
  } catch {
    throw new RenderError(`unable to parse selector ${JSON.stringify(selector)}`)
  }
}

/** Whether an identity is one that an exact selector means. */
export const isMeant = (identity: Identity, selector: Selector): boolean =>
  (!selector.name || selector.name === identity.name) &&
  (!selector.namespace || selector.namespace === (identity.namespace || 'default')) &&
  isSelected(identity, selector)

const matcher = (pattern: string | undefined): ((text: string) => boolean) => {
  if (!pattern) return () => true
  const expression = compiled(`^(?:${pattern})$`)
  return text => expression.matcher(text).find()
}

/** Patterns come from whoever wrote the artifact: matched in linear time. */
export const compiled = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch {
    throw new RenderError(`${JSON.stringify(pattern)} is no regular expression`)
  }
}
