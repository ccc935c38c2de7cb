// The name of a module's Manifest. The name is derived from the names of Kyma, component and module, so every pass finds the same Manifest.
import { kymaNames } from '../api/kyma/names.ts'
import type { Manifest } from './kinds.ts'
import { kymaNameOf, moduleNameOf } from './labels.ts'

export type ModuleOfKyma = { readonly kyma: string; readonly component: string; readonly module: string }

/** The maximum length of a name. */
const charactersMost = 62
/** The number of characters before the number, if the number must not be cut: a 32-bit number has at most 10 digits. */
const charactersBeforeNumber = 51

/**
 * The name that the Go operator uses, such as `default-id-some-module-1831772875`. If this name was cut, and another module's Manifest in
 * `others` has the same name, an alternative name is used.
 */
export const manifestName = (wanted: ModuleOfKyma, others: readonly Manifest[] = []): string => {
  const [name, apart] = manifestNames(wanted)
  const isOurs = others.some(other => other.metadata.name === apart && !isOfAnotherModule(other, wanted))
  const isTaken = others.some(other => other.metadata.name === name && isOfAnotherModule(other, wanted))
  return apart !== undefined && (isOurs || isTaken) ? apart : name
}

/** The name. If its number was cut, also the alternative name, in case another module has the first name. */
export const manifestNames = ({
  kyma,
  component,
  module,
}: ModuleOfKyma): readonly [name: string, ...apart: string[]] => {
  const described = `${kyma}-${component.slice(component.lastIndexOf('/') + 1)}`
  const name = `${described}-${fnv1(component + module)}`
  if (name.length <= charactersMost) return [name]
  const apart = `${cut(described, charactersBeforeNumber)}-${fnv1([kyma, component, module].join(' '))}`
  return [cut(name, charactersMost), apart]
}

const cut = (text: string, most: number): string => text.slice(0, most).replace(/-+$/, '')

/** Whether the Manifest belongs to another Kyma, or to another module by both label and annotation, because users may have edited one. */
const isOfAnotherModule = (manifest: Manifest, { kyma, component, module }: ModuleOfKyma): boolean => {
  const isOfModule = (moduleNameOf(manifest) ?? module) === module
  const isOfComponent = manifest.metadata.annotations?.[kymaNames.annotations.fqdn] === component
  return (kymaNameOf(manifest) || kyma) !== kyma || !(isOfModule || isOfComponent)
}

/** The FNV-1 hash with 32 bits, over UTF-8. */
const fnv1 = (text: string): number =>
  Buffer.from(text).reduce((hash, byte) => (Math.imul(hash, 0x01000193) ^ byte) >>> 0, 0x811c9dc5)
