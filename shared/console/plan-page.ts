// The planned steps of an object's functions, as a diff. The plan has the rights of the host, so steps on objects that the caller may not list
// are omitted.
import type { Next } from '../core/decisions/plan.ts'
import type { FieldChange } from '../core/json/field-changes.ts'
import { mapOrEmpty, shownText } from '../core/json/json.ts'
import { type ObjectRef, refText } from '../core/objects/object.ts'
import { excerpt } from '../core/text/text.ts'
import { runtimeName } from '../kyma/kyma-runtime.ts'
import type { LaterStep } from '../runtime/definition.ts'
import type { PlannedCall } from '../runtime/planned.ts'
import type { PlannedStep } from '../runtime/planned-steps.ts'
import { type Html, html, spaced } from './html.ts'
import { errorPage, hiddenNote, objectLink, type PageAnswer, pageOf } from './layout.ts'
import type { Asked } from './overview.ts'
import { type CallerReads, isSecret } from './rights.ts'

type PlanView = Asked & {
  readonly ref: ObjectRef
  readonly sight: CallerReads
  readonly plans: readonly (() => Promise<PlannedCall>)[]
}

const fieldsMost = 50
const laterMost = 100
const stepsMost = 200
const valueLength = 400

export const planPage = async ({ ref, sight, plans, caller }: PlanView): Promise<PageAnswer> => {
  if (plans.length === 0 || !(await sight.maySee(ref, 'local')))
    return errorPage(404, 'Not found', `No function plans ${refText(ref)}, or you may not see it.`, caller.name)
  const object = await (await sight.reads('local')).get(ref)
  const isTargetHere = mapOrEmpty(object?.spec).kubeConfig === undefined
  const maySee = (about: About) => isSeen(about, { ref, sight, isTargetHere })
  const sections: Html[] = []
  for (const plan of plans) sections.push(await planSection(await plan(), maySee))
  return pageOf({
    title: `Plan of ${refText(ref)}`,
    user: caller.name,
    content: html`<header class="head"><p class="crumbs"><a href="/">Overview</a> <span aria-hidden="true">/</span> ${objectLink(ref)}</p>
<h1>What would be done now</h1><p class="sentence">Decided for this page. Each step was tried as a dry run; nothing is written.</p></header>${sections}`,
  })
}

const planSection = async (plan: PlannedCall, maySee: (about: About) => Promise<boolean>): Promise<Html> => {
  const [seen, seenLater] = await Promise.all([
    Promise.all(plan.steps.map(maySee)),
    Promise.all(plan.later.map(async one => one.does === 'step' || maySee(one))),
  ])
  const steps = plan.steps.filter((_, at) => seen[at])
  const later = plan.later.filter((_, at) => seenLater[at])
  const hidden = plan.steps.length - steps.length + plan.later.length - later.length
  const id = `plan-${plan.function}`
  return html`<section aria-labelledby="${id}"><h2 id="${id}"><code>${plan.function}</code></h2>
<p>${answers[plan.is] ?? nextText(plan.next)}</p>
${plan.is === 'planned' && plan.steps.length === 0 && html`<p class="empty">Nothing is to be done.</p>`}
<ul class="plan">${plan.itself.length > 0 && itselfOf(plan)}${steps.slice(0, stepsMost).map(stepOf)}</ul>
${steps.length > stepsMost && html`<p class="quiet">and ${steps.length - stepsMost} more</p>`}
${later.length > 0 && html`<h3>Then, when these are ready</h3><ol class="later">${later.slice(0, laterMost).map(laterOf)}</ol>`}
${later.length > laterMost && html`<p class="quiet">and ${later.length - laterMost} more</p>`}
${hiddenNote(hidden, 'step')}</section>`
}

const laterOf = (step: LaterStep): Html => {
  const [kind = '', ...name] = step.object.split(' ')
  if (step.does === 'step')
    return html`<li>${spaced(step.object)} <span class="quiet">after ${step.after.map(spaced).join(', ')}</span></li>`
  return html`<li>${step.does} <span class="kind">${kind}</span> ${name.join(' ')}</li>`
}

const itselfOf = ({
  object,
  itself,
}: PlannedCall): Html => html`<li class="step change"><p><span class="sign">${signs.change}</span> <strong>${object}</strong> itself</p>
<dl class="diff">${itself.slice(0, fieldsMost).map(fieldOf)}</dl></li>`

/** Shown instead of the next call. */
const answers: Readonly<Partial<Record<PlannedCall['is'], string>>> = {
  gone: 'The object does not exist.',
  suspended: 'The object is suspended, so nothing is done until `espalier resume`.',
}

type About = Pick<PlannedStep, 'apiVersion' | 'object' | 'on'>

type Seeing = Pick<PlanView, 'ref' | 'sight'> & { readonly isTargetHere: boolean }

/** Whether the caller may see the step. For a cluster from a kubeconfig, the caller must be able to list Secrets beside the object. */
const isSeen = ({ apiVersion, object, on = 'local' }: About, { ref, sight, isTargetHere }: Seeing) => {
  const [kind = '', key = ''] = object.split(' ')
  const [namespace, name] = key.split('/')
  const asked = { apiVersion, kind, namespace: name === undefined ? '' : (namespace ?? '') }
  if (on === 'local' || (on === 'target' && isTargetHere)) return sight.maySee(asked, 'local')
  if (on.startsWith(runtimeName(''))) return sight.maySee(asked, on)
  return sight.maySee({ apiVersion: 'v1', kind: 'Secret', namespace: ref.namespace }, 'local')
}

const signs: Readonly<Record<PlannedStep['does'], string>> = {
  create: '+ create',
  change: '~ change',
  delete: '− delete',
  run: '▸ run',
  fail: '✕ fails',
}

const stepOf = ({ apiVersion, does, object, on, fields = [], managers, refusal }: PlannedStep): Html => {
  const [kind = '', name = ''] = object.split(' ')
  const isHidden = isSecret({ apiVersion, kind })
  return html`<li class="step ${does}"><p><span class="sign">${signs[does]}</span> <span class="kind">${kind}</span> <strong>${name}</strong>${on !== undefined && on !== 'target' && html` in <code>${on}</code>`}</p>
${refusal !== undefined && html`<p class="says">${refusal}</p>`}
${does === 'change' && !isHidden && html`<dl class="diff">${fields.slice(0, fieldsMost).map(fieldOf)}</dl>`}
${managers && html`<p class="quiet">field managers: ${managers.before.join(', ') || 'none'} → ${managers.after.join(', ')}</p>`}
${fields.length > fieldsMost && html`<p class="quiet">and ${fields.length - fieldsMost} more fields</p>`}</li>`
}

const fieldOf = ({ path, before, after }: FieldChange): Html => html`<div><dt><code>${path}</code></dt>
${before !== undefined && html`<dd class="before"><span class="sign">−</span> <code>${short(before)}</code></dd>`}${after !== undefined && html`<dd class="after"><span class="sign">+</span> <code>${short(after)}</code></dd>`}</div>`

const short = (value: unknown): string => excerpt(valueLength, shownText(value))

const nextText = (next: Next): string => {
  switch (next.is) {
    case 'settled':
      return 'Then nothing remains to be done.'
    case 'waiting':
      return `Then it waits: ${next.for}. The next call is after ${next.seconds} s.`
    case 'stalled':
      return `It does nothing until the object changes: ${next.reason}`
    case 'failed':
      return `It tries again: ${next.reason}`
    case 'again':
      return 'The next call follows as soon as these steps are done.'
  }
}
