// Makes the child spans of a call: requests to API servers, and renderings.

import type { RequestNote } from '../kube/client-types.ts'
import { type Span, spanned } from '../trace/trace.ts'
import type { Renderer } from './renderer/renderer.ts'

/** The name is, for example, `apply deployments`. */
export const requestSpan = ({ verb, method, path, code, began }: RequestNote): Span => {
  const [urlPath = ''] = path.split('?')
  return {
    name: `${verb} ${resourcePattern.exec(urlPath)?.groups?.resource ?? urlPath}`,
    kind: 'client',
    began,
    ended: performance.now(),
    attributes: { 'http.request.method': method, 'url.path': urlPath, 'http.response.status_code': code },
    fault: /^[123]/.test(code) ? undefined : code,
  }
}

/** `deployments` in `/apis/apps/v1/namespaces/shop/deployments/web/status`. */
const resourcePattern = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?(?<resource>[^/]+)/

export const tracedRenderer = (renderer: Renderer, note: (span: Span) => void): Renderer => ({
  render: (work, turn) => spanned(renderer.render(work, turn), { name: 'render', kind: 'internal', note }),
})
