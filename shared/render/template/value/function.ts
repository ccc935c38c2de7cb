// Functions of templates: their parameters in Go's types, such as `int string` or `string ...any`. As in Go's reflection, arguments are
// checked before the call. TypeScript derives the types of the parameters from the declaration.
import type { Call, GoMap, GoValue, Instant, ParameterType, Struct, TemplateFunction } from './value.ts'

type Words = {
  string: string
  bool: boolean
  int: number
  uint32: number
  int64: bigint
  float64: number
  any: GoValue
  value: GoValue
  map: GoMap
  list: readonly GoValue[]
  time: Instant
  certificate: Struct
}

type Parameters<Signature extends string> = Signature extends ''
  ? []
  : Signature extends `...${infer Rest extends ParameterType}`
    ? Words[Rest][]
    : Signature extends `${infer First extends ParameterType} ${infer Rest}`
      ? [Words[First], ...Parameters<Rest>]
      : Signature extends ParameterType
        ? [Words[Signature]]
        : never

export type FunctionTable = Readonly<Record<string, TemplateFunction>>

export const fn = <const Signature extends string>(
  signature: Signature,
  does: (...args: Parameters<Signature>) => GoValue,
): TemplateFunction => ({ ...words(signature), call: (_call, args) => does(...(args as Parameters<Signature>)) })

/** For a function that gets the `Call`: for limits, random bytes, the time or other templates. */
export const within = <const Signature extends string>(
  signature: Signature,
  does: (call: Call, ...args: Parameters<Signature>) => GoValue,
): TemplateFunction => ({ ...words(signature), call: (call, args) => does(call, ...(args as Parameters<Signature>)) })

const words = (signature: string): Pick<TemplateFunction, 'parameters' | 'rest'> => {
  const all = signature.split(' ').filter(word => word !== '')
  const rest = all.find(word => word.startsWith('...'))?.slice(3)
  return {
    parameters: all.filter(word => !word.startsWith('...')) as ParameterType[],
    rest: rest as ParameterType | undefined,
  }
}
