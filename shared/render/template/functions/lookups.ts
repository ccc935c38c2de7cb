// Questions to a cluster. A rendering does not ask: it takes what was found before, or records what it needs and goes
// on as if there were nothing, so that one try finds many questions.
import type { KubeObject } from '../../../core/objects/object.ts'
import { type Lookup, lookupKey } from '../../generator.ts'
import { Failure } from '../run/failure.ts'
import { objectValue } from '../value/json.ts'
import { type FunctionTable, within } from '../value/signature.ts'
import type { Call, TemplateFunction } from '../value/value.ts'
import { GoMap, type GoValue, mapOf } from '../value/value.ts'

type Cluster = Lookup['in']
type Question = Omit<Lookup, 'in'>

const answerTo = ({ environment }: Call, lookup: Lookup): GoValue | undefined => {
  const key = lookupKey(lookup)
  if (!environment.context.found.has(key)) {
    environment.needs.set(key, lookup)
    return undefined
  }
  const found = environment.context.found.get(key)
  if (found === undefined) return new GoMap()
  return isObject(found) ? objectValue(found) : listOf(lookup, found)
}

const isObject = (found: KubeObject | readonly KubeObject[]): found is KubeObject => !Array.isArray(found)

const listOf = ({ apiVersion, kind }: Lookup, objects: readonly KubeObject[]): GoValue =>
  mapOf([
    ['apiVersion', apiVersion],
    ['kind', `${kind}List`],
    ['metadata', new GoMap()],
    ['items', objects.map(objectValue)],
  ])

const empty = (): GoValue => new GoMap()

const looked = (call: Call, question: Question, cluster: Cluster): GoValue =>
  answerTo(call, { ...question, in: cluster }) ?? empty()

const must = (call: Call, question: Question, cluster: Cluster): GoValue => {
  const answer = answerTo(call, { ...question, in: cluster })
  const isNothing = question.name !== '' && answer instanceof GoMap && answer.size === 0
  if (isNothing)
    throw new Failure(`${question.kind} ${[question.namespace, question.name].filter(Boolean).join('/')} not found`)
  return answer ?? empty()
}

type Look = (call: Call, question: Question, cluster: Cluster) => GoValue

const named = (look: Look, cluster: Cluster): TemplateFunction =>
  within('string string string string', (call, apiVersion, kind, namespace, name) =>
    look(call, { apiVersion, kind, namespace, name }, cluster),
  )

const elsewhere = (look: Look): TemplateFunction =>
  within('string string string string string', (call, apiVersion, kind, namespace, name, kubeconfig) =>
    look(call, { apiVersion, kind, namespace, name }, { kubeconfig }),
  )

const listed = (look: Look, cluster: Cluster): TemplateFunction =>
  within('string string string string', (call, apiVersion, kind, namespace, labelSelector) =>
    look(call, { apiVersion, kind, namespace, name: '', ...selecting(labelSelector) }, cluster),
  )

const listedElsewhere = (look: Look): TemplateFunction =>
  within('string string string string string', (call, apiVersion, kind, namespace, labelSelector, kubeconfig) =>
    look(call, { apiVersion, kind, namespace, name: '', ...selecting(labelSelector) }, { kubeconfig }),
  )

const selecting = (labelSelector: string): Pick<Lookup, 'labelSelector'> =>
  labelSelector === '' ? {} : { labelSelector }

export const lookups: FunctionTable = {
  lookup: named(looked, 'target'),
  mustLookup: named(must, 'target'),
  lookupList: listed(looked, 'target'),
  mustLookupList: listed(must, 'target'),
  localLookup: named(looked, 'local'),
  mustLocalLookup: named(must, 'local'),
  localLookupList: listed(looked, 'local'),
  mustLocalLookupList: listed(must, 'local'),
  lookupWithKubeConfig: elsewhere(looked),
  mustLookupWithKubeConfig: elsewhere(must),
  lookupListWithKubeConfig: listedElsewhere(looked),
  mustLookupListWithKubeConfig: listedElsewhere(must),
}
