// The page that asks for a token. It is the answer to every request without a valid token, at any path.
import { html } from './html.ts'
import { type PageAnswer, pageOf } from './layout.ts'

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
