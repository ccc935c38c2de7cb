// The hash in the names of generated ConfigMaps and Secrets: of their content alone, so that a change of it gives a new name.
import { sha256Hex } from '../../core/digest.ts'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { htmlSafe } from '../../core/text/unicode-escape.ts'
import { RenderError } from '../generator.ts'

/** Ten letters, none of which form words. */
export const contentHash = (object: JsonMap): string => {
  const content = contents[String(object.kind)]
  if (content === undefined) throw new RenderError(`no hash is known for the content of ${String(object.kind)}`)
  const hex = sha256Hex(goJson(content(object)))
  return hex.slice(0, 10).replace(/[013ae]/g, digit => letters[digit] ?? digit)
}

const letters: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' }

const contents: Readonly<Record<string, (object: JsonMap) => JsonMap>> = {
  ConfigMap: ({ data, binaryData }) => ({ kind: 'ConfigMap', name: '', data: data ?? '', ...mapNamed({ binaryData }) }),
  Secret: ({ type, data, stringData }) => ({
    kind: 'Secret',
    name: '',
    type: type ?? '',
    data: data ?? '',
    ...mapNamed({ stringData }),
  }),
}

const mapNamed = (field: JsonMap): JsonMap => (Object.values(field).every(isMap) ? field : {})

/** JSON as Go writes it, with sorted keys. Go has short escapes for backspace and form feed since 1.22, as JavaScript has. */
const goJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (!isMap(value)) return htmlSafe(JSON.stringify(value ?? null))
  const keys = Object.keys(value).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
  return `{${keys.map(key => `${htmlSafe(JSON.stringify(key))}:${goJson(value[key])}`).join(',')}}`
}
