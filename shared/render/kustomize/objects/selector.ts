// Selectors of patches and replacements. A patch selects by regular expressions over the original and the current name, a replacement by equality
// with any name that the object ever had.
import { RE2JS } from 're2js'
import { matchesLabels, parseLabelSelector, type Requirement } from '../../../core/objects/label-selector.ts'
import { RenderError } from '../../generator.ts'
import type { Selector } from '../files/arguments.ts'
import { effectiveNamespace, gvkOf, type Identity, isSelected } from './identity.ts'
import type { Resource } from './resource.ts'

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

export const isMeant = (identity: Identity, selector: Selector): boolean =>
  (!selector.name || selector.name === identity.name) &&
  (!selector.namespace || selector.namespace === (identity.namespace || 'default')) &&
  isSelected(identity, selector)

const matcher = (pattern: string | undefined): ((text: string) => boolean) => {
  if (!pattern) return () => true
  const expression = compiled(`^(?:${pattern})$`)
  return text => expression.matcher(text).find()
}

/** Uses RE2, which takes linear time, because the pattern comes from the artifact and is not trusted. */
export const compiled = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch {
    throw new RenderError(`${JSON.stringify(pattern)} is not a valid regular expression`)
  }
}
