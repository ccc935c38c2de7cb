// The first page: how many objects are in trouble, waiting, ready and suspended, then a line for each object, longest trouble first.
import { ourKinds } from '../api/our-kinds.ts'
import { keptOrMade } from '../core/memory/remembered.ts'
import { type GroupVersionKind, keyText, type ObjectRef } from '../core/objects/object.ts'
import type { Explanation, ObjectState } from '../runtime/why/explanation.ts'
import { Html, html } from './html.ts'
import { ageOf, badge, hiddenNote, mark, objectLink, type PageAnswer, pageOf } from './layout.ts'
import type { MirroredStates } from './mirror.ts'
import type { Caller } from './rights.ts'

export type Asked = {
  readonly query: URLSearchParams
  readonly caller: Caller
  readonly now: Date
}

const pageLength = 100

/** The tiles. Each tile counts objects in some of the states. */
const tiles: readonly {
  readonly name: string
  readonly states: readonly Explanation['is'][]
  readonly words: string
}[] = [
  { name: 'failed', states: ['failed'], words: 'in trouble' },
  { name: 'waiting', states: ['waiting', 'deleting'], words: 'waiting' },
  { name: 'ready', states: ['ready'], words: 'ready' },
  { name: 'suspended', states: ['suspended'], words: 'suspended' },
]

export const overview = async (mirrored: MirroredStates, asked: Asked): Promise<PageAnswer> => {
  const { states, hidden, namespaces } = await seenStates(mirrored.states, asked.caller)
  const filter = filterIn(asked.query)
  const fitting = states.filter(state => fits(state, filter))
  const pages = Math.max(1, Math.ceil(fitting.length / pageLength))
  const page = Math.min(Math.max(1, Math.trunc(Number(asked.query.get('page'))) || 1), pages)
  const shown = fitting.slice((page - 1) * pageLength, page * pageLength)
  const notes = [
    ...(mirrored.isWhole ? [] : ['Objects are still being read.']),
    ...mirrored.faults.map(({ kind, fault }) => `${kind.kind}s cannot be read now: ${fault}`),
  ]
  return pageOf({
    title: 'Overview',
    at: '/',
    user: asked.caller.name,
    live: '/events',
    ...(!mirrored.isWhole && { goesOn: '1' }),
    content: html`<h1>Overview</h1>
${tilesOf(states, filter)}
${filterForm(namespaces, filter)}
${notes.map(note => html`<p class="note">${note}</p>`)}${hiddenNote(hidden, 'object')}
${
  shown.length === 0
    ? html`<p class="empty">${states.length === 0 ? 'There is nothing to see yet.' : 'No object fits this filter.'}</p>`
    : html`<ol class="rows" start="${(page - 1) * pageLength + 1}">${shown.map(state => rowOf(state, asked.now))}</ol>`
}
${pages > 1 && pagesNav(filter, page, pages, fitting.length)}`,
  })
}

const rowOf = ({ ref, is, since, says, waitsFor }: ObjectState, now: Date): Html => html`<li class="row ${is}">
${badge(is)}<span class="what">${objectLink(ref)}</span><span class="since">${ageOf(since, now, 'for ')}</span>
${is !== 'ready' && html`<p class="says">${waitsFor && html`waits for ${objectLink(waitsFor)} ${ageOf(since, now, 'since ')} — `}${says[0]}</p>`}</li>`

type SeenStates = {
  /** The states, in the same order as on the page. */
  readonly states: readonly ObjectState[]
  readonly hidden: number
  readonly namespaces: ReadonlySet<string>
}

export const seenStates = async (all: readonly ObjectState[], caller: Caller): Promise<SeenStates> => {
  const places = new Map<string, { readonly of: ObjectRef; readonly namespaces: Set<string> }>()
  for (const { ref } of all) {
    const { namespaces } = keptOrMade(places, ref.kind, () => ({ of: ref, namespaces: new Set<string>() }))
    namespaces.add(ref.namespace)
  }
  const asked = [...places].map(
    async ([kind, { of, namespaces }]) => [kind, await caller.listable(of, [...namespaces])] as const,
  )
  const listable = new Map(await Promise.all(asked))
  const states = all.filter(({ ref }) => listable.get(ref.kind)?.has(ref.namespace))
  const namespaces = new Set([...listable.values()].flatMap(seen => [...seen]))
  return { states, hidden: all.length - states.length, namespaces }
}

type Filter = Readonly<Record<'state' | 'kind' | 'ns' | 'q', string>>

const filterIn = (query: URLSearchParams): Filter => {
  const field = (name: string): string => (query.get(name) ?? '').trim().slice(0, 253)
  return { state: field('state'), kind: field('kind'), ns: field('ns'), q: field('q') }
}

const fits = ({ ref, is, says }: ObjectState, { state, kind, ns, q }: Filter): boolean =>
  (state === '' || tiles.some(tile => tile.name === state && tile.states.includes(is))) &&
  (kind === '' || ref.kind === kind) &&
  (ns === '' || ref.namespace === ns) &&
  (q === '' || `${keyText(ref)} ${says[0] ?? ''}`.toLowerCase().includes(q.toLowerCase()))

const addressOf = (filter: Filter, page = 1): string => {
  const fields = Object.entries(filter).filter(([, value]) => value !== '')
  const text = new URLSearchParams([...fields, ...(page > 1 ? [['page', String(page)]] : [])] as [string, string][])
  return text.size === 0 ? '/' : `/?${text}`
}

const tilesOf = (states: readonly ObjectState[], filter: Filter): Html =>
  html`<ul class="tiles">${tiles.map(({ name, states: counted, words }) => {
    const count = states.reduce((sum, { is }) => sum + Number(counted.includes(is)), 0)
    const isOpen = filter.state === name
    return html`<li><a class="tile ${count > 0 ? name : 'none'}" href="${addressOf({ ...filter, state: isOpen ? '' : name })}"${
      isOpen && new Html(' aria-current="true"')
    }><span class="count">${count}</span> <span class="word">${mark(name as Explanation['is'])}${words}</span></a></li>`
  })}</ul>`

const filterForm = (seen: ReadonlySet<string>, { state, kind, ns, q }: Filter): Html => {
  const namespaces = [...seen].filter(Boolean).sort().slice(0, 500)
  return html`<form class="filter" action="/" method="get" role="search" aria-label="Objects">
${state !== '' && html`<input type="hidden" name="state" value="${state}">`}
<label>Kind <select name="kind">${optionsOf(
    ourKinds.map((one: GroupVersionKind) => one.kind),
    kind,
  )}</select></label>
<label>Namespace <select name="ns">${optionsOf(namespaces.includes(ns) || ns === '' ? namespaces : [ns, ...namespaces], ns)}</select></label>
<label class="grow">Text <input type="search" name="q" value="${q}" placeholder="name or sentence"></label>
<button>Filter</button>${[state, kind, ns, q].some(Boolean) && html`<a href="/">Show all</a>`}</form>`
}

const optionsOf = (words: readonly string[], chosen: string): Html[] =>
  ['', ...words].map(
    word => html`<option value="${word}"${word === chosen && new Html(' selected')}>${word || 'all'}</option>`,
  )

const pagesNav = (
  filter: Filter,
  page: number,
  pages: number,
  count: number,
): Html => html`<nav class="pages" aria-label="Pages of objects">
${page > 1 ? html`<a rel="prev" href="${addressOf(filter, page - 1)}">Previous</a>` : html`<span>Previous</span>`}
<span>Page ${page} of ${pages}, ${count} objects</span>
${page < pages ? html`<a rel="next" href="${addressOf(filter, page + 1)}">Next</a>` : html`<span>Next</span>`}</nav>`
