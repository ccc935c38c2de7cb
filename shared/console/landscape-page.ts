// What this host serves and reaches: functions and results of their calls, certificates, progress of Gardens, and clusters of Kymas.
import { gardenKind } from '../api/garden.ts'
import { kymaNames } from '../api/kyma/names.ts'
import { kymaKind } from '../api/kyma.ts'
import { ourKinds } from '../api/our-kinds.ts'
import { groupAndKind, type ObjectRef, refText } from '../core/objects/object.ts'
import { daysLeft, type KeptCertificate, renewalDueDays } from '../core/tls/renewal.ts'
import { atOnce } from '../kube/at-once.ts'
import type { BindableClusters } from '../kube/client-types.ts'
import { readOnlyClusters } from '../kube/clusters/read-only.ts'
import { reading } from '../kube/reading.ts'
import { runtimeName } from '../kyma/kyma-runtime.ts'
import { placeOf } from '../runtime/why/chain.ts'
import type { ObjectState } from '../runtime/why/explanation.ts'
import type { CallBook } from './calls.ts'
import { stepsPicture } from './graph.ts'
import { type Html, html } from './html.ts'
import { ageOf, badge, mark, objectLink, type PageAnswer, pageOf } from './layout.ts'
import type { Asked } from './overview.ts'
import { mayReachRuntimes } from './rights.ts'

type LandscapeView = Asked & {
  /** The objects that the caller may see. */
  readonly states: readonly ObjectState[]
  readonly calls: CallBook
  readonly functions: readonly { readonly name: string; readonly kind: { readonly kind: string } }[]
  readonly certificates: readonly KeptCertificate[]
  readonly clusters: BindableClusters
}

const clustersMost = 30
const answerMilliseconds = 2_000

export const landscapePage = async (view: LandscapeView): Promise<PageAnswer> => {
  const { states, calls, caller } = view
  const gardens = states.filter(({ ref }) => ref.kind === gardenKind.kind)
  const mayReach = await mayReachRuntimes(caller)
  const kymas = states.filter(({ ref }) => ref.kind === kymaKind.kind)
  return pageOf({
    title: 'Landscape',
    at: '/landscape',
    user: caller.name,
    live: '/events',
    content: html`<h1>Landscape</h1>
${functionsSection(view)}
${await certificatesSection(view)}
${mayReach ? await clustersSection(kymas, view) : html`<section><h2>Clusters of Kymas</h2><p class="note">They are shown to those who may list Secrets in ${kymaNames.namespaces.controlPlane}.</p></section>`}
${gardens.map(({ ref, is }) => {
  const picture = calls.pictureOf(ref, ref)
  return html`<section><h2>${objectLink(ref)} ${badge(is)}</h2>${picture ? stepsPicture(picture) : html`<p class="empty">This process has judged none of its steps yet.</p>`}</section>`
})}`,
  })
}

const functionsSection = ({
  functions,
  calls,
  now,
}: LandscapeView): Html => html`<section aria-labelledby="functions"><h2 id="functions">Functions of this process</h2>
<div class="scroll" role="region" aria-label="Functions" tabindex="0"><table><thead><tr><th>Function</th><th>Waiting</th><th>At work</th><th>Calls</th><th>Failed</th><th>Last call</th></tr></thead>
<tbody>${functions.map(({ name, kind }) => {
  const { running, ended, failed, last, waiting } = calls.ofFunction(name)
  return html`<tr><th scope="row"><code>${name}</code><br><span class="quiet">${kind.kind}</span></th><td>${waiting ?? 'not known'}</td><td>${running}</td><td>${ended}</td><td>${failed > 0 && mark('failed')}${failed}</td><td>${last ? html`${ageOf(last.toISOString(), now)} ago` : 'none yet'}</td></tr>`
})}</tbody></table></div>
<p class="quiet">Keys that wait are ready to be called. Relays say their number with each call; their metric <code>workqueue_depth</code> has it at any time.</p></section>`

/** The maximum number of certificates to show. Certificates that end later are only counted. */
const certificatesMost = 20

const certificatesSection = async (view: LandscapeView): Promise<Html> => {
  const { certificates, now } = view
  const all = [...certificates, ...(await keptCertificates(view))]
  const sorted = all.toSorted((one, other) => one.ends.getTime() - other.ends.getTime())
  const more = sorted.length - certificatesMost
  return html`<section aria-labelledby="certificates"><h2 id="certificates">Certificates</h2>
${sorted.length === 0 && html`<p class="empty">This host serves none, and keeps none.</p>`}<ul class="conditions">${sorted
    .slice(0, certificatesMost)
    .map(one =>
      certificateLine(one, now),
    )}</ul>${more > 0 && html`<p class="quiet">${more} more end later.</p>`}</section>`
}

type ShownCertificate = KeptCertificate & { readonly of?: ObjectRef }

const certificateLine = ({ name, ends, of }: ShownCertificate, now: Date): Html => {
  const days = daysLeft(ends, now)
  const is = days < 0 ? 'failed' : days < renewalDueDays ? 'waiting' : 'ready'
  return html`<li>${mark(is)}<div><p><strong>${name}</strong> ${days < 0 ? 'has ended' : `ends in ${days} ${days === 1 ? 'day' : 'days'}`}</p><p class="quiet">${ends.toISOString().slice(0, 16).replace('T', ' ')} UTC${of && html` · ${objectLink(of)}`}</p></div></li>`
}

/** Certificates of existing objects that the caller may list. The states contain all existing objects of our kinds. */
const keptCertificates = async ({ calls, states, caller }: LandscapeView): Promise<ShownCertificate[]> => {
  const seen = new Set(states.map(({ ref }) => refText(ref)))
  const shown = await Promise.all(
    calls.certified().map(async ({ ref, certificates }) => {
      const isOurs = ourKinds.some(kind => groupAndKind(kind) === groupAndKind(ref))
      const isSeen = isOurs ? seen.has(refText(ref)) : await caller.mayList(ref, ref.namespace)
      return isSeen ? certificates.map(one => ({ ...one, ...(isOurs && { of: ref }) })) : []
    }),
  )
  return shown.flat()
}

const clustersSection = async (kymas: readonly ObjectState[], { clusters, now }: LandscapeView): Promise<Html> => {
  const bound = readOnlyClusters(clusters.bound({ signal: AbortSignal.timeout(answerMilliseconds) }))
  const asked = kymas.slice(0, clustersMost).map(({ ref }) => async () => {
    const on = runtimeName(ref.name)
    const answer = await reading(
      placeOf(on, bound).then(async place =>
        place === 'local' ? undefined : (await bound.of(place)).raw({ method: 'GET', path: '/version' }),
      ),
    )
    return { ref, on, answer, isOwn: 'read' in answer && answer.read === undefined }
  })
  const found = (await atOnce(asked, 10)).filter(({ isOwn }) => !isOwn)
  return html`<section aria-labelledby="clusters"><h2 id="clusters">Clusters of Kymas</h2>
${found.length === 0 && html`<p class="empty">There are none.</p>`}
<ul class="conditions">${found.map(
    ({ ref, on, answer }) =>
      html`<li>${mark('failed' in answer ? 'failed' : 'ready')}<div><p><strong>${on}</strong> <span class="word">${'failed' in answer ? 'does not answer' : 'answers'}</span> ${objectLink(ref)}</p>${'failed' in answer && html`<p class="says">${answer.failed}</p>`}</div></li>`,
  )}</ul>${kymas.length > clustersMost && html`<p class="quiet">${kymas.length - clustersMost} more were not asked.</p>`}<p class="quiet">Asked at ${now.toISOString().slice(11, 19)} UTC.</p></section>`
}
