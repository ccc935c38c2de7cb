// Faults of a schema itself: ours against those that ajv finds when it compiles the meta-schema.
import { Ajv, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { isMap } from '../../../shared/core/json/json.ts'
import { languageFault } from '../../../shared/render/helm/values/meta-schema.ts'

const plain: Options = { strict: false, logger: false, validateFormats: false }

const languages = [
  ['http://json-schema.org/draft-07/schema', new Ajv(plain)],
  ['https://json-schema.org/draft/2019-09/schema', new Ajv2019(plain)],
  ['https://json-schema.org/draft/2020-12/schema', new Ajv2020(plain)],
] as const

/** The keywords that the documents of a language define. */
const keywordsOf = (ajv: Ajv): string[] =>
  Object.values(ajv.schemas).flatMap(one =>
    isMap(one?.schema) && isMap(one.schema.properties) ? Object.keys(one.schema.properties) : [],
  )

const scalars = [null, true, -1, 0, 1.5, 2, '', 'string', 'x y', '[', '#/a', 'a#b', '1a', '%']
const lists = [[], [{}], [true], [1], ['a'], ['a', 'a'], ['string'], ['string', 'string'], ['string', 'x']]
const maps = [
  {},
  { a: {} },
  { a: 1 },
  { a: true },
  { a: ['b'] },
  { a: ['b', 'b'] },
  { '[': {} },
  { type: 'x' },
  { a: { minLength: -1 } },
]
const around = [
  (schema: object) => schema,
  (schema: object) => ({ properties: { a: schema } }),
  (schema: object) => ({ anyOf: [true, { additionalProperties: schema }] }),
  (schema: object) => ({ dependencies: { a: schema }, items: schema }),
]

for (const [uri, ajv] of languages) {
  t.test(`CO-75 a schema is refused for its own faults: ${uri}`, async t => {
    const documentAt = (uri: string) => ajv.schemas[uri]?.schema
    const schemas = [...new Set(keywordsOf(ajv))]
      .flatMap(keyword => [...scalars, ...lists, ...maps].map(value => ({ [keyword]: value })))
      .flatMap(schema => around.map(wrapped => ({ ...wrapped(schema), $schema: uri })))
    const verdicts = schemas.map(schema => {
      const [ours, theirs] = [languageFault(schema, { uri, documentAt }), ajv.validateSchema(schema)]
      if ((ours === undefined) !== theirs) t.fail(`${JSON.stringify(schema)}: ${ours ?? 'no fault'}`)
      return theirs
    })
    t.ok(verdicts.includes(true) && verdicts.includes(false), 'some have faults and some have none')
    const fault = languageFault({ properties: { a: { minimum: '1' } } }, { uri, documentAt })
    t.equal(fault, '/properties/a/minimum violates type "number"')
  })
}
