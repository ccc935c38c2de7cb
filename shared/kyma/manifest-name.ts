// The name of a module's Manifest. It is made of what names the module, so every pass finds the same Manifest, and one of another module
// has another name.

export type ModuleOfKyma = { readonly kyma: string; readonly component: string; readonly module: string }

/** The most characters that a Kyma, a component and a number may have together. */
const charactersMost = 62

/** `default-id-some-module-1831772875`: the Kyma, the last part of the component, and a number made of component and module. */
export const manifestName = ({ kyma, component, module }: ModuleOfKyma): string => {
  const last = component.slice(component.lastIndexOf('/') + 1)
  const name = `${kyma}-${last}-${fnv1(component + module)}`
  return name.length > charactersMost ? name.slice(0, charactersMost).replace(/-$/, '') : name
}

/** FNV-1 with 32 bits, over UTF-8. */
const fnv1 = (text: string): number =>
  Buffer.from(text).reduce((hash, byte) => (Math.imul(hash, 0x01000193) ^ byte) >>> 0, 0x811c9dc5)
