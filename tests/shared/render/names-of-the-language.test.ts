// Keys that mean something in JavaScript (`__proto__`, `constructor`) mean nothing in charts, kustomizations and values: they are keys.
import { deserialize, serialize } from 'node:v8'
import t, { type Test } from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { helm } from '../../../shared/render/helm/helm.ts'
import { kustomize } from '../../../shared/render/kustomize/kustomize.ts'
import { valuesOver } from '../../../shared/render/values.ts'
import { throws } from '../../harness/matches.ts'
import { chart } from '../../make/component/chart.ts'
import { renderContext } from '../../make/component/render-context.ts'

const map = (text: string): JsonMap => JSON.parse(text)
const keys = '{"__proto__":{"taken":1},"constructor":{"prototype":{"taken":1}},"a":{"__proto__":{"taken":1}}}'
const head = '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}'

/** As text: two objects that differ in `__proto__` alone may be compared as equal. */
const textOf = (value: unknown): string => JSON.stringify(value)

const rendered = (files: Readonly<Record<string, unknown>>, values = '{}'): string =>
  textOf(helm(chart(files))(renderContext(), map(values)))

const built = (kustomization: string, object = `{${head},"data":{"a":"b"}}`): string => {
  const files = Object.entries({ 'kustomization.yaml': kustomization, 'a.yaml': object })
  return textOf(kustomize(new Map(files.map(([path, text]) => [path, Buffer.from(text)])))(renderContext(), {}))
}

/** No object has what one of them was given. */
const isContained = (t: Test): boolean => t.equal(Reflect.ownKeys(Object.prototype).includes('taken'), false)

t.test('RE-26 values of a chart have keys such as __proto__, and keep them on their way through processes', async t => {
  const template = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {{ .Values | toJson }}}'
  const sorted = '{"__proto__":{"taken":1},"a":{"__proto__":{"taken":1}},"constructor":{"prototype":{"taken":1}}}'
  const object = `{"objects":[{${head},"data":${sorted}}]}`
  t.equal(rendered({ 'values.yaml': keys, 'templates/a.yaml': template }, keys), object)
  t.equal(textOf(valuesOver([{ text: keys, place: 'x' }], map(keys))), keys)
  t.equal(textOf(deserialize(serialize(map(keys)))), keys)
  isContained(t)
})

t.test('RE-26 functions of templates make and merge maps with such keys', async t => {
  const steps = [
    '$a := dict "constructor" (dict "prototype" (dict "taken" 1))',
    '$b := fromJson "{\\"__proto__\\":{\\"taken\\":1}}"',
    '$_ := merge $a $b',
    '$_ := mergeOverwrite $a $b',
    '$_ := set $a "__proto__" (dict "taken" 2)',
    '$_ := unset (index $a "__proto__") "toString"',
  ]
  const template = `${steps.map(step => `{{ ${step} }}`).join('')}{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {{ toJson $a }}, x: {{ hasKey $a "toString" }}}`
  t.equal(
    rendered({ 'templates/a.yaml': template }),
    `{"objects":[{${head},"data":{"__proto__":{"taken":2},"constructor":{"prototype":{"taken":1}}},"x":false}]}`,
  )
  isContained(t)
})

t.test('RE-26 patches, replacements, labels and generators of kustomizations set such keys', async t => {
  const target = '"target":{"kind":"ConfigMap"}'
  const patched = (patch: string) => built(`{"resources":["a.yaml"],"patches":[{${target},"patch":${textOf(patch)}}]}`)
  t.equal(
    patched(`{${head},"data":{"__proto__":{"taken":1}},"constructor":{"prototype":{"taken":1}}}`),
    `{"objects":[{${head},"data":{"a":"b","__proto__":{"taken":1}},"constructor":{"prototype":{"taken":1}}}]}`,
  )
  throws(t, () => patched('[{"op":"add","path":"/__proto__/taken","value":1}]'), /doc is missing path/)
  throws(t, () => patched('[{"op":"add","path":"/constructor/prototype/taken","value":1}]'), /doc is missing path/)
  const paths = '"fieldPaths":["__proto__.taken","constructor.prototype.taken"],"options":{"create":true}'
  t.equal(
    built(
      `{"resources":["a.yaml"],"replacements":[{"source":{"kind":"ConfigMap","fieldPath":"data.a"},"targets":[{"select":{"kind":"ConfigMap"},${paths}}]}]}`,
    ),
    `{"objects":[{${head},"data":{"a":"b"},"__proto__":{"taken":"b"},"constructor":{"prototype":{"taken":"b"}}}]}`,
  )
  const field = '"fields":[{"path":"__proto__/taken","create":true}]'
  t.equal(
    built(`{"resources":["a.yaml"],"labels":[{"pairs":{"__proto__":"x"},${field}}]}`),
    `{"objects":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"__proto__":"x"}},"data":{"a":"b"},"__proto__":{"taken":{"__proto__":"x"}}}]}`,
  )
  isContained(t)
})
