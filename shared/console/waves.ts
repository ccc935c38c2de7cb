// The waves of an object with an inventory, as a picture: tiers on a trunk, in the order of application. The first wave that is not ready is
// the current wave, and blocks the waves after it.
import { type Item, itemsOf, refOfItem } from '../component/item.ts'
import { isText, mapOrEmpty } from '../core/json/json.ts'
import { type KubeObject, type ObjectRef, refText } from '../core/objects/object.ts'
import type { Link } from '../runtime/why/chain.ts'
import { withEngineStatus } from '../runtime/why/explanation.ts'
import { Html, html, spaced } from './html.ts'
import { ageOf, badge, hiddenNote, mark, objectLink } from './layout.ts'
import { isSecret, type Writer } from './rights.ts'

type Wave = {
  readonly order: number
  readonly is: 'ready' | 'current' | 'blocked'
  readonly items: readonly Item[]
}

export const storedWaves = (object: KubeObject): Wave[] => {
  const items = itemsOf(mapOrEmpty(withEngineStatus(object).status).inventory).filter(isShowable)
  const groups = [...Map.groupBy(items, ({ applyOrder }) => applyOrder)].sort(([one], [other]) => one - other)
  const current = groups.find(([, wave]) => !wave.every(isDone))?.[0]
  return groups.map(([order, items]) => ({
    order,
    is: current === undefined || order < current ? 'ready' : order === current ? 'current' : 'blocked',
    items,
  }))
}

/** Whether the item can be shown, because users may write any value into a status. */
const isShowable = ({ version, kind, name, namespace, phase }: Item): boolean =>
  [version, kind, name, phase].every(isText) && typeof namespace === 'string' && !/Deletion|Deleting/.test(phase)

const isDone = ({ status, phase }: Item): boolean => phase === 'Completed' || status === 'Current'

const itemState = (item: Item, isBlocked: boolean): Link['is'] => {
  if (isDone(item)) return 'ready'
  if (isBlocked) return 'unknown'
  return item.status === 'Failed' ? 'failed' : item.status === 'Terminating' ? 'deleting' : 'waiting'
}

type Picture = {
  readonly now: Date
  /** Items that the caller may see. */
  readonly seen: ReadonlySet<Item>
  readonly writerOf: (ref: ObjectRef) => Writer | undefined
  readonly isRemote: boolean
}

/** The limit for all waves together, so that a large inventory does not delay webhooks. */
const rowsMost = 300
const wavesMost = 100

export const wavesPicture = (all: readonly Wave[], picture: Picture): Html => {
  const waves = all.slice(0, wavesMost)
  const itemsMost = Math.floor(rowsMost / waves.length)
  const hidden = all.reduce((sum, { items }) => sum + items.length, -picture.seen.size)
  const current = waves.findIndex(({ is }) => is === 'current')
  return html`<section aria-labelledby="waves"><h2 id="waves">Waves</h2>
<ol class="trunk">${waves.map((wave, at) => waveSection(wave, { at, current, itemsMost, picture }))}</ol>
${moreText(all.length - waves.length, 'waves')}
${hiddenNote(hidden, 'object')}</section>`
}

/** A wave with more items is open only while it is the current wave. */
const openMost = 12

/** The badge of a wave. */
const tierState = ({ is, items }: Wave): { readonly is: Link['is']; readonly words?: string } => {
  if (is === 'ready') return { is }
  if (is === 'blocked') return { is: 'unknown' }
  const isFailed = items.some(item => itemState(item, false) === 'failed')
  return isFailed ? { is: 'failed' } : { is: 'waiting', words: 'at work' }
}

type Placed = {
  readonly at: number
  readonly current: number
  readonly itemsMost: number
  readonly picture: Picture
}

const waveSection = (wave: Wave, { at, current, itemsMost, picture }: Placed): Html => {
  const { order, is, items } = wave
  const seen = items.filter(item => picture.seen.has(item))
  const shown = seen.length > itemsMost ? troubleFirst(seen).slice(0, itemsMost) : seen
  const done = items.filter(isDone).length
  const isOpen = is === 'current' || items.length <= openMost
  const state = tierState(wave)
  const words = is === 'blocked' ? `blocked by wave ${current + 1}` : state.words
  return html`<li class="tier ${is}"${is === 'current' && new Html(' aria-current="step"')}><details${isOpen && new Html(' open')} id="wave-${at + 1}">
<summary><span class="wave">Wave ${at + 1}</span> ${badge(state.is, words)} <span class="quiet">${done} of ${items.length} ready · apply order ${order}</span></summary>
<ul class="fruits">${shown.map(item => itemRow(item, is === 'blocked', picture))}</ul>${moreText(seen.length - shown.length, 'objects')}</details></li>`
}

const troubleFirst = (items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => Number(isDone(one)) - Number(isDone(other)))

const moreText = (count: number, noun: string): Html =>
  html`${count > 0 && html`<p class="quiet">and ${count} more ${noun}</p>`}`

const itemRow = (item: Item, isBlocked: boolean, { now, writerOf, isRemote }: Picture): Html => {
  const ref = refOfItem(item)
  const state = itemState(item, isBlocked)
  const writer = writerOf(ref)
  const name =
    isRemote || isSecret(ref)
      ? html`<span class="object"><span class="kind">${ref.kind}</span> ${refText(ref).slice(ref.kind.length + 1)}</span>`
      : objectLink(ref)
  return html`<li class="fruit ${state}">${mark(state)}<span>${name}
<span class="quiet">${isBlocked ? 'not begun' : spaced(item.phase)}${writer && html` · last written by <span class="writer">${writer.manager}</span> ${ageOf(writer.at, now)} ago`}</span></span></li>`
}
