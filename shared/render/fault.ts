// Describes what is wrong with a chart or kustomization in our own words. Messages of renderers quote what was rendered, which
// may be a password, so a rendering that knows Secrets is reported by this blame instead. No part of it can hold a value: the
// kind is one of a list, the file is one of the artifact, the function is one that exists.

/** `line` counts from 1. */
export type Blame = {
  readonly kind: FaultKind
  readonly of?: 'chart' | 'kustomization'
  readonly file?: string
  readonly line?: number
  /** Of templates: what was called. */
  readonly function?: string
  /** Of a values.schema.json: the places in it that the values do not meet. */
  readonly rules?: readonly string[]
}

const faultKinds = {
  unrenderable: 'cannot be rendered',
  syntax: 'is no template',
  execution: 'cannot be executed',
  author: 'stops the rendering',
  limit: 'takes more than a rendering may',
  yaml: 'gives no YAML',
  object: 'gives what is no object',
  values: 'is no map of values',
  schema: 'does not allow these values',
  hook: 'gives an annotation of Helm that is not understood',
  combination: 'gives an annotation that cannot be combined with a hook of Helm',
  resource: 'holds no proper objects',
  settings: 'is no proper kustomization',
} as const

type FaultKind = keyof typeof faultKinds

/** `the chart cannot be rendered: shop/templates/a.yaml, line 3: stops the rendering (function required)`. */
export const blameText = (blame: Blame): string => {
  const subject = blame.of === undefined ? undefined : `the ${blame.of} ${faultKinds.unrenderable}`
  const isAllKnown = blame.kind === 'unrenderable' && blame.file === undefined
  return [subject, subject && isAllKnown ? undefined : faultText(blame)].filter(part => part !== undefined).join(': ')
}

const faultText = ({ kind, file, line, function: called, rules = [] }: Blame): string => {
  const place = [file, line === undefined ? undefined : `line ${line}`].filter(part => part !== undefined).join(', ')
  const why = called === undefined ? '' : ` (function ${called})`
  const broken = rules.length > 0 ? `: ${rules.join(', ')}` : ''
  return `${place === '' ? '' : `${place}: `}${faultKinds[kind]}${why}${broken}`
}
