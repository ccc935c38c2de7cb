// The steps of a long process as a graph, from top to bottom: a step is below all steps that it needs. A list below the graph has the same
// content, for users who cannot see pictures.
import type { PictureStep } from '../core/decisions/plan.ts'
import type { Link } from '../runtime/why/chain.ts'
import { type Html, html, spaced } from './html.ts'
import { badge, mark } from './layout.ts'

const box = { width: 220, height: 46, across: 28, down: 40 }

const stateOfStep: Readonly<Record<PictureStep['is'], Link['is']>> = {
  ready: 'ready',
  open: 'waiting',
  blocked: 'unknown',
  skipped: 'suspended',
}

const words: Readonly<Record<PictureStep['is'], string>> = {
  ready: 'ready',
  open: 'at work',
  blocked: 'blocked',
  skipped: 'skipped',
}

type Placed = PictureStep & { readonly x: number; readonly y: number }

export const stepsPicture = (steps: readonly PictureStep[]): Html => {
  const placed = placedSteps(steps)
  const [width, height] = [
    Math.max(...placed.map(({ x }) => x)) + box.width + 2,
    Math.max(...placed.map(({ y }) => y)) + box.height + 2,
  ]
  const ready = steps.filter(({ is }) => is === 'ready').length
  const counted = steps.filter(({ is }) => is !== 'skipped').length
  const edges = placed.flatMap(to => directNeeds(to, placed).map(from => edge(from, to)))
  return html`<section aria-labelledby="steps"><h2 id="steps">Steps <span class="quiet">${ready} of ${counted} ready</span></h2>
<div class="graph" role="region" aria-label="Picture of the steps" tabindex="0"><svg viewBox="-2 -2 ${width + 2} ${height + 2}" width="${width + 2}" height="${height + 2}" role="img" aria-label="Steps and what each needs; the list below says the same">
${edges}${placed.map(node)}</svg></div>
<ul class="conditions">${steps
    .filter(({ is }) => is === 'open')
    .map(
      ({ name, waits }) =>
        html`<li>${mark('waiting')}<div><p><strong>${spaced(name)}</strong> <span class="word">at work</span></p>${waits.slice(0, 5).map(sentence => html`<p class="says">${sentence}</p>`)}${waits.length > 5 && html`<p class="quiet">and ${waits.length - 5} more</p>`}</div></li>`,
    )}</ul>
<details id="all-steps"><summary>All steps in words</summary><ol class="steps">${steps.map(
    ({ name, is, needs }) =>
      html`<li>${badge(stateOfStep[is], words[is])} <strong>${spaced(name)}</strong> <span class="quiet">${
        is === 'blocked'
          ? `blocked by ${unready(needs, steps).map(spaced).join(', ')}`
          : needs.length > 0 && `needs ${needs.map(spaced).join(', ')}`
      }</span></li>`,
  )}</ol></details></section>`
}

const unready = (needs: readonly string[], steps: readonly PictureStep[]): string[] =>
  needs.filter(need => steps.some(({ name, is }) => name === need && (is === 'open' || is === 'blocked')))

/** Computes positions. Each level is centred. */
const placedSteps = (steps: readonly PictureStep[]): Placed[] => {
  const levels = new Map<string, number>()
  for (const { name, needs } of steps) levels.set(name, Math.max(-1, ...needs.map(need => levels.get(need) ?? -1)) + 1)
  const rows = [...Map.groupBy(steps, ({ name }) => levels.get(name) ?? 0).entries()]
  const widest = Math.max(...rows.map(([, row]) => row.length))
  return rows.flatMap(([level, row]) =>
    row.map((step, at) => ({
      ...step,
      x: (at + (widest - row.length) / 2) * (box.width + box.across),
      y: level * (box.height + box.down),
    })),
  )
}

/** Omits a need that another need of the step already includes. */
const directNeeds = ({ needs }: PictureStep, steps: readonly Placed[]): Placed[] => {
  const all = (names: readonly string[]): string[] =>
    names.flatMap(name => steps.filter(step => step.name === name).flatMap(step => [...step.needs, ...all(step.needs)]))
  const indirect = new Set(all(needs))
  return steps.filter(({ name }) => needs.includes(name) && !indirect.has(name))
}

const edge = (from: Placed, to: Placed): Html => {
  const [x1, y1, x2, y2] = [from.x + box.width / 2, from.y + box.height, to.x + box.width / 2, to.y]
  const middle = y2 - box.down / 2
  return html`<path class="edge ${from.is}" d="M${x1} ${y1}V${middle - 8}C${x1} ${middle + 8} ${x2} ${middle - 8} ${x2} ${y2}"/>`
}

const node = ({
  name,
  is,
  x,
  y,
}: Placed): Html => html`<g class="node ${is}" transform="translate(${x} ${y})"><rect width="${box.width}" height="${box.height}" rx="10"/>
<text x="14" y="20">${spaced(name)}</text><text class="small" x="14" y="37">${words[is]}</text></g>`
