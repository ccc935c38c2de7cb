// The parts of every page: its head, the navigation, marks for states, links to objects, and the headers of its answer.
import { type ClusterName, groupVersionOf, keyText, type ObjectRef } from '../core/objects/object.ts'
import type { Link } from '../runtime/why/chain.ts'
import { agoText, Html, html, stateWords } from './html.ts'

export type PageAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The headers of every answer. Pages load nothing from other sites, cannot be embedded in other sites, and are not cached. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    `default-src 'none'`,
    ...["style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'"],
    ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

type Page = {
  readonly title: string
  readonly content: Html
  /** The name of the user. Absent: no user is logged in. */
  readonly user?: string
  /** The URL of the events that refresh the page. */
  readonly live?: string
  /** The selected entry of the navigation. */
  readonly at?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Seconds until the browser loads a page without a script. Examples: `1` loads this page again, `0; url=/` loads another page. */
  readonly goesOn?: string
}

const entries = [
  { path: '/', name: 'Overview' },
  { path: '/landscape', name: 'Landscape' },
]

export const pageOf = ({ title, content, user, live, at, goesOn, ...answer }: Page): PageAnswer => ({
  status: answer.status ?? 200,
  headers: { 'content-type': 'text/html; charset=utf-8', ...answer.headers },
  body: html`${doctype}<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
${goesOn !== undefined && html`<meta http-equiv="refresh" content="${goesOn}">`}
<title>${title} · Espalier</title><link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/style.css">
${live !== undefined && html`<script src="/refresh.js" defer></script>`}</head>
<body${live !== undefined && html` data-live="${live}"`}>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><a class="brand" href="/">${treeIcon}<span>Espalier</span></a>
${
  user !== undefined &&
  html`<nav aria-label="Pages">${entries.map(
    ({ path, name }) => html`<a href="${path}"${path === at && new Html(' aria-current="page"')}>${name}</a>`,
  )}</nav><div class="who"><span title="${user}">${user}</span><a href="/logout">Sign out</a></div>`
}</header>
<main id="main" tabindex="-1">${content}</main>
<footer>${live === undefined ? '' : html`<span id="live" role="status">Reload to see what is new.</span>`}<span>Read-only.</span></footer>
</body></html>
`.text,
})

const doctype = new Html('<!doctype html>\n')

/** A picture of an espalier: a trunk with tiers. */
export const treeSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="#2f7d4f" stroke-width="2" stroke-linecap="round" aria-hidden="true"><path d="M12 22V3M3 6v3q0 2 2 2h14q2 0 2-2V6M3 13v2q0 2 2 2h14q2 0 2-2v-2"/></svg>'

const treeIcon = new Html(treeSvg)

const shapes: Readonly<Record<Link['is'] | 'plain', string>> = {
  plain: '<circle cx="8" cy="8" r="3"/>',
  failed: '<circle cx="8" cy="8" r="7"/><path class="cut" d="M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6"/>',
  deleting: '<circle cx="8" cy="8" r="7"/><path class="cut" d="M4.5 8h7"/>',
  waiting: '<circle class="ring" cx="8" cy="8" r="6"/><path d="M8 2a6 6 0 0 1 0 12z"/>',
  suspended: '<circle class="ring" cx="8" cy="8" r="6"/><path class="line" d="M6.3 5.5v5M9.7 5.5v5"/>',
  ready: '<circle cx="8" cy="8" r="7"/><path class="cut" d="M4.8 8.3l2.2 2.2 4.2-4.6"/>',
  missing: '<circle class="ring dashed" cx="8" cy="8" r="6"/>',
  unknown:
    '<circle class="ring" cx="8" cy="8" r="6"/><path class="line" d="M6.4 6.4q.2-1.6 1.6-1.6 1.7 0 1.7 1.5 0 1-1.7 1.9v.6M8 11v.1"/>',
}

/** The state as shape, colour and word. */
export const badge = (is: Link['is'], word = stateWords[is]): Html =>
  html`<span class="state ${is}">${mark(is)}${word}</span>`

/** `plain`: neither good nor bad. */
export const mark = (is: Link['is'] | 'plain'): Html =>
  html`<svg class="mark ${is}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${new Html(shapes[is])}</svg>`

const pathOfObject = ({ apiVersion, kind, namespace, name }: ObjectRef, on: ClusterName = 'local'): string =>
  `/object/${placeIn({ apiVersion, kind, namespace, name })}${on === 'local' ? '' : `?on=${encodeURIComponent(on)}`}`

export const placeIn = ({ apiVersion, kind, namespace, name }: ObjectRef): string => {
  const { group, version } = groupVersionOf(apiVersion)
  return [group || 'core', version, kind, namespace || '-', name].map(encodeURIComponent).join('/')
}

/** undefined: the path does not name an object. */
export const refInPath = (path: string): ObjectRef | undefined => {
  const [group, version, kind, namespace, name, ...more] = path.split('/').map(decoded)
  if (!group || !version || !kind || !namespace || !name || more.length > 0) return undefined
  const apiVersion = group === 'core' ? version : `${group}/${version}`
  const ref = { apiVersion, kind, namespace: namespace === '-' ? '' : namespace, name }
  const isPlain = /^[a-z0-9.-]+$/.test(group) && /^v\w+$/.test(version) && /^[A-Za-z][A-Za-z0-9]*$/.test(kind)
  return isPlain && [ref.namespace, name].every(isSegment) ? ref : undefined
}

/** Whether the text may be a segment of an API server's path. */
const isSegment = (text: string): boolean => !/[/%?#\p{Cc}]/u.test(text) && text !== '.' && text !== '..'

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

export const objectLink = (ref: ObjectRef, on: ClusterName = 'local'): Html =>
  html`<a class="object" href="${pathOfObject(ref, on)}"><span class="kind">${ref.kind}</span> ${keyText(ref)}</a>`

/** For example, `2 objects are not shown, because you may not list them.` */
export const hiddenNote = (count: number, noun: string): Html =>
  html`${count > 0 && html`<p class="note">${count} ${noun}${count === 1 ? ' is not shown, because you may not list it.' : 's are not shown, because you may not list them.'}</p>`}`

/** For example `for 5m3s`, with the exact time as a tooltip. */
export const ageOf = (since: string | undefined, now: Date, before = ''): Html => {
  const age = agoText(since, now)
  return age === '' ? html`` : html`${before}<time datetime="${since}" title="${since}">${age}</time>`
}

export const errorPage = (status: number, title: string, sentence: string, user?: string): PageAnswer =>
  pageOf({
    status,
    title,
    ...(user !== undefined && { user }),
    content: html`<section class="narrow"><h1>${title}</h1><p>${sentence}</p><p><a href="/">To the overview</a></p></section>`,
  })

type LoginPage = {
  /** The page to show after the login. */
  readonly next: string
  readonly fault?: string | undefined
  readonly audience: string
  readonly headers?: Readonly<Record<string, string>>
}

export const loginPage = ({ next, fault, audience, headers }: LoginPage): PageAnswer =>
  pageOf({
    status: 401,
    title: 'Sign in',
    headers: { 'www-authenticate': 'Bearer', ...headers },
    content: html`<section class="narrow"><h1>Sign in</h1>
${fault !== undefined && html`<p class="note" role="alert">${fault}</p>`}
<form class="login" action="/login" method="post"><input type="hidden" name="next" value="${next}">
<label for="token">Token</label><input id="token" name="token" type="password" autocomplete="off" required spellcheck="false">
<button>Sign in</button></form>
<p>A token of a service account, made for the audience <code>${audience}</code>:</p>
<pre tabindex="0"><code>kubectl -n NAMESPACE create token ACCOUNT --audience ${audience} --duration 1h</code></pre>
<p>You see what that account may list. The token stays in a cookie of this page alone until it ends or you sign out.</p></section>`,
  })

/** A path of this site. Returns `/` for anything else, such as a URL of another site. */
export const safeNext = (next: string): string => {
  if (!/^\/(?![/\\])[!-~]*$/.test(next) || next.includes('\\')) return '/'
  const { origin, pathname, search } = new URL(next, 'http://console.invalid')
  const isPage = origin === 'http://console.invalid' && /^\/(object\/|plan\/|landscape$|$)/.test(pathname)
  return isPage ? pathname + search : '/'
}
