// The page of one object: its state and the cause, its waves or parts, conditions, Events, calls, and commands to copy. Only fields that
// this file names are shown.
import { refOfItem } from '../component/item.ts'
import { isText, type JsonMap, mapOrEmpty, mapsIn, shownText } from '../core/json/json.ts'
import { lastSeen } from '../core/objects/event-time.ts'
import {
  type ClusterName,
  groupAndKind,
  groupResourceOf,
  type KubeObject,
  keyText,
  type ObjectRef,
  refText,
} from '../core/objects/object.ts'
import { capitalised } from '../core/text/text.ts'
import { atOnce } from '../kube/at-once.ts'
import type { Reads } from '../kube/client-types.ts'
import { reading } from '../kube/reading.ts'
import { chainOf, type Link } from '../runtime/why/chain.ts'
import { type CallBook, nextCall } from './calls.ts'
import { stepsPicture } from './graph.ts'
import { type Html, html, shellWord, spaced, stateWords } from './html.ts'
import { ageOf, badge, errorPage, hiddenNote, mark, objectLink, type PageAnswer, pageOf, placeIn } from './layout.ts'
import type { Asked } from './overview.ts'
import { type CallerReads, isSecret, seenPart } from './rights.ts'
import { storedWaves, wavesPicture } from './waves.ts'

type ObjectView = Asked & {
  readonly ref: ObjectRef
  readonly on: ClusterName
  readonly sight: CallerReads
  readonly calls: CallBook
  /** Functions that can make a plan for the kind. */
  readonly planners: readonly string[]
}

/** The maximum number of dependents whose last writer is read. */
const writersMost = 60
const eventsMost = 10

export const objectPage = async (view: ObjectView): Promise<PageAnswer> => {
  const { ref, on, sight, caller, now } = view
  if (isSecret(ref)) return errorPage(404, 'Secrets are not shown', 'The console never reads a Secret.', caller.name)
  const gone = () => errorPage(404, 'Not found', `${refText(ref)} does not exist, or you may not see it.`, caller.name)
  if (!(await sight.maySee(ref, on))) return gone()
  const reads = await sight.reads(on)
  const read = await reading(reads.get(ref))
  if ('failed' in read) return errorPage(503, 'Not now', `${refText(ref)} cannot be read: ${read.failed}`, caller.name)
  const object = read.read
  if (!object) return gone()
  const isOfMany =
    on === 'local' && ['operator.kyma-project.io/Kyma', 'operator.kyma-project.io/Manifest'].includes(groupAndKind(ref))
  const chains = { reads: inPlace(sight, on), now: () => now }
  const [why, tree, events, waves] = await Promise.all([
    chainOf(ref, chains),
    isOfMany ? chainOf(ref, { ...chains, everything: true }) : undefined,
    eventsOf(object, reads),
    on === 'local' ? wavesSection(object, view) : undefined,
  ])
  const picture = on === 'local' ? view.calls.pictureOf(ref, ref) : undefined
  const said = saidOnce(why, object)
  return pageOf({
    title: `${refText(ref)}: ${stateWords[why.is]}`,
    user: caller.name,
    live: `/events?of=${encodeURIComponent(placeIn(ref))}`,
    content: html`${headOf({ ...why, says: said }, view)}
${why.is !== 'ready' && chainSection(why, view)}
${picture && stepsPicture(picture)}
<div class="columns"><div>${waves}
${tree && treeSection(tree, view)}
${conditionsSection(object, now)}
${commandsSection(view)}</div>
<div>${on === 'local' && callsSection(view, said)}
${eventsSection(events, { now, said })}</div></div>`,
  })
}

/** `said`: sentences at the top of the page, which must not be repeated below. */
type Telling = { readonly now: Date; readonly said: readonly string[] }

/** Moves the parts of an object in another cluster into the same cluster. */
const inPlace =
  (sight: CallerReads, place: ClusterName) =>
  (on: ClusterName): Promise<Reads> =>
    sight.reads(on === 'local' ? place : on)

/**
 * Always keeps the first sentence. Drops other sentences that contain a condition's message, because the page shows the conditions below.
 */
const saidOnce = ({ says }: Link, { status }: KubeObject): string[] => {
  const messages = mapsIn(mapOrEmpty(status).conditions).map(({ message }) => shownText(message))
  return says.filter((sentence, at) => at === 0 || !messages.some(message => message && sentence.includes(message)))
}

const headOf = ({ is, since, says }: Link, { ref, on, now, planners }: ObjectView): Html => html`<header class="head">
<p class="crumbs"><a href="/">Overview</a> <span aria-hidden="true">/</span> <a href="/?kind=${ref.kind}">${ref.kind}</a>${
  on !== 'local' && html` <span aria-hidden="true">/</span> in <code>${on}</code>`
}</p>
<h1><span class="kind">${ref.kind}</span> ${keyText(ref)}</h1>
<p class="lead">${badge(is)} ${ageOf(since, now, 'for ')}</p>
${says.map(sentence => html`<p class="sentence">${sentence}</p>`)}
${on === 'local' && planners.length > 0 && html`<p><a class="button" href="/plan/${placeIn(ref)}">What would be done now?</a></p>`}</header>`

const chainSection = (why: Link, { now, sight, on }: ObjectView): Html => {
  const { link, hidden } = seenPart(why)
  if (link.because.length === 0 && hidden === 0) return html``
  return html`<section aria-labelledby="why"><h2 id="why">Why</h2>
<ul class="chain">${link.because.map(part => linkOf(part, { now, sight, on }))}</ul>${moreOf(link)}${hiddenNote(hidden, 'part')}</section>`
}

const treeSection = (tree: Link, { now, sight, on }: ObjectView): Html => {
  const { link, hidden } = seenPart(tree)
  return html`<section aria-labelledby="parts"><h2 id="parts">Parts</h2>
${link.because.length === 0 ? html`<p class="empty">It has no parts.</p>` : html`<ul class="chain">${link.because.map(part => linkOf(part, { now, sight, on }))}</ul>`}${moreOf(link)}${hiddenNote(hidden, 'part')}</section>`
}

type Linking = Pick<ObjectView, 'now' | 'sight' | 'on'>

const linkOf = (link: Link, linking: Linking): Html => {
  const { object, on, is, since, says, because } = link
  const { now, sight } = linking
  const place = on ?? linking.on
  const writer = sight.lastWriter(object, place)
  return html`<li class="link ${is}${because.length > 0 && ' parent'}">${mark(is)}<div><p><span class="object">${nameOf(link, place)}</span> <span class="word">${stateWords[is]} ${ageOf(since, now, 'for ')}</span></p>
<p class="quiet">${place !== 'local' && html`in <code>${place}</code>`}${place !== 'local' && writer && ' · '}${writer && html`last written by <span class="writer">${writer.manager}</span> ${ageOf(writer.at, now)} ago`}</p>
${says.map(sentence => html`<p class="says">${sentence}</p>`)}
${because.length > 0 && html`<ul class="chain">${because.map(part => linkOf(part, linking))}</ul>`}${moreOf(link)}</div></li>`
}

const nameOf = ({ object, ref }: Link, on: ClusterName): Html => {
  const [kind = '', ...name] = object.split(' ')
  return ref && !isSecret(ref) ? objectLink(ref, on) : html`<span class="kind">${kind}</span> ${name.join(' ')}`
}

const moreOf = ({ more }: Link): Html => html`${more !== undefined && html`<p class="quiet">and ${more} more</p>`}`

const wavesSection = async (object: KubeObject, { sight, now }: ObjectView): Promise<Html | undefined> => {
  const waves = storedWaves(object)
  const items = waves.flatMap(({ items }) => items)
  if (items.length === 0) return undefined
  const isRemote = mapOrEmpty(object.spec).kubeConfig !== undefined
  const places = Map.groupBy(items, ({ group, kind, namespace }) => `${group} ${kind} ${namespace}`)
  const asked = [...places.values()].map(async there =>
    there[0] && (await sight.maySee(refOfItem(there[0]), 'local')) ? there : [],
  )
  const seen = new Set((await Promise.all(asked)).flat())
  const local = await sight.reads('local')
  const read = isRemote
    ? []
    : items
        .filter(item => seen.has(item))
        .map(refOfItem)
        .filter(ref => !isSecret(ref))
        .slice(0, writersMost)
  await atOnce(
    read.map(ref => () => reading(local.get(ref, { metadataOnly: true }))),
    10,
  )
  return wavesPicture(waves, {
    now,
    isRemote,
    seen,
    writerOf: ref => (isRemote ? undefined : sight.lastWriter(refText(ref), 'local')),
  })
}

/** `Progressing` is a status of conditions of Gardens. */
const answers: Readonly<Record<string, string>> = { True: 'yes', False: 'no', Progressing: 'not yet' }

const conditionStates: Readonly<Record<string, Link['is']>> = {
  True: 'ready',
  False: 'waiting',
  Progressing: 'waiting',
}

/** Conditions that are not True come first. */
const conditionsSection = ({ status }: KubeObject, now: Date): Html => {
  const conditions = mapsIn(mapOrEmpty(status).conditions).toSorted(
    (one, other) => Number(one.status === 'True') - Number(other.status === 'True'),
  )
  if (conditions.length === 0) return html``
  return html`<section aria-labelledby="conditions"><h2 id="conditions">Conditions</h2>
<ul class="conditions">${conditions.map(condition => conditionOf(condition, now))}</ul></section>`
}

/** First in plain words, then with the names of the API. */
const conditionOf = ({ type, status, reason, message, lastTransitionTime }: JsonMap, now: Date): Html => {
  const isHeld = type === 'Suspended' && status === 'True'
  const is = isHeld ? 'suspended' : (conditionStates[shownText(status)] ?? 'unknown')
  const answer = answers[shownText(status)] ?? 'not known'
  const since = isText(lastTransitionTime) ? lastTransitionTime : undefined
  return html`<li>${mark(is)}<div><p><strong>${title(type)}: ${answer}</strong> ${ageOf(since, now, 'for ')}${isText(reason) && reason !== type && html` — ${spaced(reason)}`}</p>
${isText(message) && html`<p class="says">${message}</p>`}<p class="quiet"><code>${shownText(type)}=${shownText(status)}</code>${isText(reason) && html` <code>${reason}</code>`}</p></div></li>`
}

/** `ModuleCatalog` → `Module catalog` */
const title = (word: unknown): string => capitalised(spaced(shownText(word)))

type ReadEvents = { readonly read: readonly KubeObject[] } | { readonly failed: string }

const eventsOf = ({ metadata }: KubeObject, reads: Reads): Promise<ReadEvents> =>
  reading(
    reads.list({
      apiVersion: 'v1',
      kind: 'Event',
      namespace: metadata.namespace ?? 'default',
      fieldSelector: `involvedObject.uid=${metadata.uid}`,
    }),
  )

const eventsSection = (events: ReadEvents, telling: Telling): Html =>
  html`<section aria-labelledby="happened"><h2 id="happened">Last Events</h2>
${'failed' in events ? html`<p class="note">Events are not shown: ${events.failed}.</p>` : eventList(events.read, telling)}</section>`

const eventList = (events: readonly KubeObject[], { now, said }: Telling): Html => {
  const isNews = (message: unknown, heading: string) => ![...said, heading].includes(shownText(message))
  const newest = events.toSorted((one, other) => (lastSeen(one) < lastSeen(other) ? 1 : -1)).slice(0, eventsMost)
  if (newest.length === 0) return html`<p class="empty">There are none.</p>`
  return html`<ul class="events">${newest.map(
    ({ type, reason, message, ...event }) =>
      html`<li>${mark(type === 'Warning' ? 'failed' : 'plain')}<div><p><strong>${title(reason)}</strong> <span class="quiet">${shownText(type)} · ${ageOf(lastSeen(event as KubeObject), now)} ago</span></p>${isNews(message, title(reason)) && html`<p class="says">${shownText(message)}</p>`}</div></li>`,
  )}</ul>`
}

const outcomeStates: Readonly<Record<string, Link['is']>> = {
  settled: 'ready',
  waiting: 'waiting',
  stalled: 'suspended',
}

const callsSection = ({ ref, calls, planners, now }: ObjectView, said: readonly string[]): Html => {
  if (planners.length === 0) return html``
  const done = calls.of(ref, ref)
  const newest = [...new Map(done.toReversed().map(call => [call.function, call])).values()]
  return html`<section aria-labelledby="calls"><h2 id="calls">Calls</h2>
${newest.map(call => {
  const { words, dueAt } = nextCall(call)
  return html`<p>The next call of <code>${call.function}</code> ${words}${dueAt !== undefined && html` at <time datetime="${dueAt}">${dueAt.slice(11, 19)} UTC</time>`}.</p>`
})}
${
  done.length === 0
    ? html`<p class="empty">This process has served no call for it yet; another replica may have.</p>`
    : html`<ul class="events">${done.map(
        ({ function: name, at, milliseconds, outcome: { outcome, reason } }, index) => {
          const isNews = reason !== undefined && ![...said, done[index - 1]?.outcome.reason].includes(reason)
          return html`<li>${mark(outcomeStates[outcome] ?? 'failed')}<div><p><strong>${capitalised(outcome)}</strong> <span class="quiet">${name} · ${ageOf(at.toISOString(), now)} ago · took ${milliseconds}\u00a0ms</span></p>${isNews && html`<p class="says">${reason}</p>`}</div></li>`
        },
      )}</ul>`
}</section>`
}

const commandsSection = ({ ref, on }: ObjectView): Html => {
  const { group, resource } = groupResourceOf(ref)
  const [name, namespace] = [shellWord(ref.name), ref.namespace && ` -n ${shellWord(ref.namespace)}`]
  const commands = [
    `kubectl get ${shellWord(group ? `${resource}.${group}` : resource)} ${name}${namespace} -o yaml`,
    `npx espalier why ${shellWord(ref.kind.toLowerCase())} ${name}${namespace}`,
  ]
  return html`<section aria-labelledby="commands"><h2 id="commands">Look closer</h2>${on !== 'local' && html`<p>With a kubeconfig of <code>${on}</code>:</p>`}
${commands.map(command => html`<pre class="copy" tabindex="0"><code>${command}</code></pre>`)}</section>`
}
