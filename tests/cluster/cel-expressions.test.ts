// What a real API server says of the CEL expressions that garden-admission judges: each is a rule of a definition whose schema has the
// variables as fields, so that the compiler and the functions of Kubernetes are those of its configurations.
import t from 'tap'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { soundExpressions, unsoundExpressions, type Variables } from '../harness/garden/expressions.ts'

const client = clientTo(t, await anyCluster(t))

const text = { type: 'string', maxLength: 9 }
const dyn = { 'x-kubernetes-int-or-string': true }
const texts = { type: 'array', items: text, maxItems: 3 }
const extra = { type: 'object', additionalProperties: texts, maxProperties: 3 }
const object = (properties: object) => ({ type: 'object', properties })
const textFields = (names: string) => Object.fromEntries(names.split(' ').map(name => [name, text]))

/** As kube-apiserver declares them. */
const variables: Readonly<Record<Variables, object>> = {
  claims: { type: 'object', additionalProperties: dyn, maxProperties: 3 },
  user: object({ ...textFields('username uid'), groups: texts, extra }),
  request: object({
    resourceAttributes: object({
      ...textFields('namespace verb group version resource subresource name'),
      fieldSelector: object({ rawSelector: text }),
    }),
    nonResourceAttributes: object(textFields('path verb')),
    ...textFields('user uid'),
    groups: texts,
    extra,
  }),
}

const definition = (variable: Variables, expression: string): KubeObject => {
  const rule = expression.replaceAll(new RegExp(`\\b${variable}\\b(?=[.\\s)\\[]|$)`, 'g'), 'self')
  const schema = { ...variables[variable], 'x-kubernetes-validations': [{ rule }] }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'expressions.cel.example.org' },
    spec: {
      group: 'cel.example.org',
      scope: 'Namespaced',
      names: { kind: 'Expression', plural: 'expressions' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: object({ spec: schema }) } }],
    },
  }
}

/** What is wrong with the expression itself: what it costs is not asked. */
const faultOf = async (variable: Variables, expression: string): Promise<string | undefined> => {
  const made = client.create(definition(variable, expression), { fieldManager: 'person', dryRun: true })
  const message = await made.then(
    () => '',
    (error: Error) => error.message,
  )
  const isFault = /compilation failed|must evaluate to a bool/.test(message)
  if (message !== '' && !isFault && !message.includes('cost')) throw new Error(`${expression}: ${message}`)
  return isFault ? message : undefined
}

const kinds = Object.keys(variables) as Variables[]

t.test('GA-358 K a real API server compiles what is let through, and does not compile what is refused', async t => {
  for (const variable of kinds) {
    for (const expression of soundExpressions[variable])
      t.equal(await faultOf(variable, expression), undefined, expression)
    for (const [expression] of unsoundExpressions[variable]) t.ok(await faultOf(variable, expression), expression)
  }
})
