// Reads a list page by page. A page that is too large for one answer is asked for again with fewer objects; limits.ts says how
// many pages a list may have.
import { connectionErrorOf } from '../connection/connection-errors.ts'
import { ConnectionError } from '../errors.ts'
import { Excess, type ExcessCode, type Limits } from '../limits.ts'
import type { Session } from './session.ts'

/** One page to be asked for. The caller passes the size of the answer to `tellSize`. */
export type PageAsked = {
  readonly objects: number
  readonly continueToken: string | undefined
  readonly tellSize: (bytes: number) => void
}

type Paging<Page> = {
  readonly kind: string
  /** Objects per page, as long as they fit into one answer. */
  readonly objects: number
  ask(page: PageAsked): Promise<Page>
}

type Continued = { readonly continueToken: string | undefined }

/** Throws a ConnectionError when there are too many pages, or they take too long. */
export async function* paged<Page extends Continued>(
  session: Session,
  { kind, objects: objectsMost, ask }: Paging<Page>,
): AsyncGenerator<Page & { bytes: number }> {
  const { limits } = session.through
  const until = performance.now() + limits.listSeconds * 1000
  let at: { objects: number; continueToken: string | undefined } = { objects: objectsMost, continueToken: undefined }
  for (let pages = 1; ; pages++) {
    let bytes = 0
    const tellSize = (size: number): void => {
      bytes = size
    }
    const { page, objects } = await fitting(at.objects, fewer => ask({ ...at, objects: fewer, tellSize }))
    yield { ...page, bytes }
    if (!page.continueToken) return
    at = {
      objects: isSmall(bytes, limits) ? Math.min(2 * objects, objectsMost) : objects,
      continueToken: page.continueToken,
    }
    if (pages === limits.listPages) throw listExcess(session, { kind, sentence: `it has more than ${pages} pages` })
    if (performance.now() > until)
      throw listExcess(session, { kind, sentence: `it takes longer than ${limits.listSeconds} s` })
  }
}

/** After a page that was too large there may be many small ones. */
const isSmall = (bytes: number, { answerBytes }: Limits): boolean => 4 * bytes < answerBytes

/** The error for a list of this kind that exceeds a limit. */
export const listExcess = ({ through }: Session, { kind, sentence }: { kind: string; sentence: string }): unknown =>
  connectionErrorOf(new Excess('TOO_MANY', sentence), { method: 'LIST', path: kind, place: through.connections.place })

/** A page that is too large is asked for again with an eighth of the objects, down to a single one. */
const fitting = async <Page>(
  objects: number,
  ask: (objects: number) => Promise<Page>,
): Promise<{ page: Page; objects: number }> => {
  try {
    return { page: await ask(objects), objects }
  } catch (error) {
    if (!isTooMuch(error) || objects === 1) throw error
    return fitting(Math.ceil(objects / 8), ask)
  }
}

const codes: ReadonlySet<string> = new Set<ExcessCode>(['TOO_LARGE', 'TOO_INTRICATE'])

const isTooMuch = (error: unknown): boolean =>
  error instanceof ConnectionError && error.loss === 'excess' && codes.has(error.code)
