// The console: pages about Espalier's objects for users with a browser. It never writes. Callers authenticate with a token, and see the objects
// that they may list. shared/http/routes/console.ts has the routes.
import { randomBytes } from 'node:crypto'
import { rates } from '../core/bounds/rates.ts'
import type { Log } from '../core/log.ts'
import { type GroupVersionKind, groupAndKind, type Key } from '../core/objects/object.ts'
import type { KeptCertificate } from '../core/tls/renewal.ts'
import type { BindableClusters, Client } from '../kube/client-types.ts'
import type { ReviewedUser } from '../kube/reviews.ts'
import type { PlannedCall } from '../runtime/planned.ts'
import type { CallBook } from './calls.ts'
import { html } from './html.ts'
import { landscapePage } from './landscape-page.ts'
import { errorPage, loginPage, type PageAnswer, pageOf, refInPath, safeNext } from './layout.ts'
import { type EventStream, liveEvents } from './live.ts'
import { mirror } from './mirror.ts'
import { objectPage } from './object-page.ts'
import { overview, seenStates } from './overview.ts'
import { planPage } from './plan-page.ts'
import { type Caller, callersBy, readsFor } from './rights.ts'

export type ConsoleParts = {
  readonly clusters: BindableClusters
  /** The client of the local cluster. It reviews the callers' tokens and rights. */
  readonly local: Client
  readonly audience: string
  readonly calls: CallBook
  readonly planners: readonly Planner[]
  /** The certificates that this host currently serves. */
  readonly certificates: () => readonly KeptCertificate[]
  readonly log: Log
  readonly now: () => Date
}

export type Planner = {
  readonly name: string
  readonly kind: GroupVersionKind
  plan(key: Key): Promise<PlannedCall>
}

/** A request for a page, with `path` and `query` of the URL. */
export type PageRequest = {
  readonly path: string
  readonly query: string
  readonly authorization?: string
  readonly cookie?: string
  /** The address of the client. */
  readonly address: string
}

export type Console = {
  page(request: PageRequest): Promise<PageAnswer>
  login(form: URLSearchParams, address: string): Promise<PageAnswer>
  /** The answer to a one-time code. */
  enter(code: string): PageAnswer
  /** Starts the stream. Returns a page if the stream cannot start. */
  follow(request: PageRequest, stream: EventStream): Promise<PageAnswer | undefined>
  /** A path that logs in this person once. After its use, `used` is called with a new path. */
  invite(person: ReviewedUser, used: (path: string) => void): string
  stop(): void
}

const cookieName = '__Host-espalier'
const cookie = (value: string, more = ''): Readonly<Record<string, string>> => ({
  'set-cookie': `${cookieName}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${more}`,
})

/** The limit follows from cookies, for which browsers allow 4,096 bytes. */
const tokenLength = 3_900
const sessionMilliseconds = 12 * 3_600_000
const sessionsMost = 50
/** The maximum number of concurrent pages that read the cluster, and of plans, which read and render like calls. */
const pagesMost = 16
const plansMost = 2

type Session = { readonly caller: Caller; readonly until: number }

export const consoleOf = (parts: ConsoleParts): Console => {
  const { clusters, local, audience, calls, planners, log, now } = parts
  const clock = () => performance.now()
  const callers = callersBy({ client: local, audience, clock })
  const states = mirror({ client: local, log, now })
  const secondsUntilNext = rates({ perSecond: 20, burst: 100 }, clock)
  const sessions = new Map<string, Session>()
  const invitations = new Map<string, () => Caller>()
  const [pages, plans] = [atMost(pagesMost), atMost(plansMost)]

  const callerOf = async (token: string | undefined): Promise<Caller | undefined> => {
    if (token === undefined) return undefined
    const session = sessions.get(token)
    if (session) return session.until > clock() ? session.caller : undefined
    return /^[-A-Za-z0-9._~+/]+=*$/.test(token) ? callers.of(token) : undefined
  }
  const live = liveEvents({ states, callerOf })

  /** `otherwise` answers a request without a valid token. `fault`: what is wrong with the token, if the request has one. */
  const withCaller = async <T>(
    { token, address }: { readonly token: string | undefined; readonly address: string },
    answer: (caller: Caller) => T | Promise<T>,
    otherwise: (fault: string | undefined) => PageAnswer,
  ): Promise<T | PageAnswer> => {
    const isNew = token !== undefined && !sessions.has(token) && !callers.knows(token)
    if (isNew && secondsUntilNext(address) !== undefined) return tooMany
    const caller = await callerOf(token)
    return caller ? answer(caller) : otherwise(token === undefined ? undefined : invalid)
  }

  const show = async ({ path, query }: PageRequest, caller: Caller): Promise<PageAnswer> => {
    const asked = { query: new URLSearchParams(query), caller, now: now() }
    if (path === '/') return overview(await states.states(), asked)
    if (path === '/landscape') {
      const { states: seen } = await seenStates((await states.states()).states, caller)
      const about = { calls, functions: planners, certificates: parts.certificates(), clusters }
      return pages(() => landscapePage({ ...asked, ...about, states: seen }))
    }
    const [, page, place = ''] = /^\/(object|plan)\/(.+)$/.exec(path) ?? []
    const ref = refInPath(place)
    const on = asked.query.get('on') ?? 'local'
    if (page === undefined || ref === undefined || !/^(local|runtimes\/[a-z0-9][-a-z0-9.]*)$/.test(on))
      return errorPage(404, 'Not found', 'This page does not exist.', caller.name)
    const own = planners.filter(({ kind }) => groupAndKind(kind) === groupAndKind(ref))
    const sight = readsFor(caller, clusters)
    const view = { ...asked, ref, sight }
    if (page === 'plan')
      return plans(() =>
        planPage({
          ...view,
          plans: own.map(
            ({ plan }) =>
              () =>
                plan(ref),
          ),
        }),
      )
    return pages(() => objectPage({ ...view, on, calls, planners: own.map(({ name }) => name) }))
  }

  /** The error is logged. The user gets a page. */
  const fault = (error: unknown, caller: Caller): PageAnswer => {
    log.warn({ err: error }, 'a page of the console could not be created')
    return errorPage(503, 'Not now', 'This page could not be created. Try again in a moment.', caller.name)
  }

  const enter = (code: string): PageAnswer => {
    const person = invitations.get(code)
    if (!person) return loginPage({ next: '/', audience, fault: 'This link was already used or is invalid.' })
    invitations.delete(code)
    const token = randomBytes(32).toString('base64url')
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size >= sessionsMost) sessions.delete(oldest)
    sessions.set(token, { caller: person(), until: clock() + sessionMilliseconds })
    return pageOf({
      title: 'Welcome',
      headers: cookie(token),
      goesOn: '0; url=/',
      content: html`<section class="narrow"><h1>Welcome</h1><p><a href="/">To the overview</a></p></section>`,
    })
  }

  const invite: Console['invite'] = (person, used) => {
    const code = randomBytes(32).toString('base64url')
    invitations.set(code, () => {
      used(invite(person, used))
      return callers.known(person)
    })
    return `/once/${code}`
  }

  return {
    page: async request => {
      const [token, { address, path, query }] = [tokenIn(request), request]
      if (path === '/logout') {
        sessions.delete(token ?? '')
        return loginPage({ next: '/', audience, headers: cookie('', '; Max-Age=0') })
      }
      const next = safeNext(path + (query && `?${query}`))
      return withCaller(
        { token, address },
        caller => show(request, caller).catch(error => fault(error, caller)),
        said => loginPage({ next, audience, fault: said }),
      )
    },
    login: async (form, address) => {
      const [token, next] = [(form.get('token') ?? '').trim(), safeNext(form.get('next') ?? '/')]
      const again = (fault: string | undefined) => loginPage({ next, audience, fault })
      if (token.length > tokenLength) return again('This token is too long for a cookie: send it in a header.')
      const entered = (): PageAnswer => ({ status: 303, headers: { location: next, ...cookie(token) }, body: '' })
      return withCaller({ token, address }, entered, again)
    },
    enter,
    follow: async (request, stream) => {
      const [token, of] = [tokenIn(request), new URLSearchParams(request.query).get('of') ?? undefined]
      const begin = (caller: Caller): PageAnswer | undefined =>
        live.begin({ token: token ?? '', caller, of }, stream) ? undefined : tooMany
      return withCaller({ token, address: request.address }, begin, fault => loginPage({ next: '/', audience, fault }))
    },
    invite,
    stop: () => {
      live.stop()
      states.stop()
    },
  }
}

/** Limits how many expensive pages are created at the same time. */
const atMost = (most: number) => {
  let open = 0
  return async (answer: () => Promise<PageAnswer>): Promise<PageAnswer> => {
    if (open >= most) return tooMany
    open++
    try {
      return await answer()
    } finally {
      open--
    }
  }
}

const invalid = 'The token is not valid here: it has expired, or is for another audience.'

const tooMany: PageAnswer = {
  ...errorPage(429, 'Too many requests', 'Try again in a few seconds.'),
  headers: { 'content-type': 'text/html; charset=utf-8', 'retry-after': '5' },
}

/** If a request has a header and a cookie, the header counts. */
const tokenIn = ({ authorization, cookie = '' }: PageRequest): string | undefined => {
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  return cookie
    .split(/; */)
    .find(pair => pair.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1)
}
