// A watch on its way to the caller, line by line, and what can happen to it while it runs. The connection itself is
// proxy.ts's.
import type { KubeRequest } from './request.ts'

export type StreamFault =
  /** The connection breaks. */
  | { do: 'cut' }
  /** The server ends the watch properly. */
  | { do: 'end' }
  /** Half-open: the connection stays, nothing comes through any more. */
  | { do: 'freeze' }
  /** Events are lost, bookmarks get through: nobody can tell from the stream. */
  | { do: 'lose' }
  /** The next event breaks off in the middle of its line, with the connection. */
  | { do: 'halve' }
  /** A line that is no event. */
  | { do: 'garbage'; text: string }
  /** The watch's resourceVersion is too old: 410 as an event, then the end. */
  | { do: 'gone' }

/** The end of a watch that leads to the caller. */
export type Outlet = { write(text: string): void; end(): void; destroy(): void }

export type LiveWatch = {
  readonly request: KubeRequest
  /** One line as the API server sent it. */
  line(text: string): void
  strike(fault: StreamFault): void
  /** The API server ended the watch. */
  end(): void
}

export type LiveWatchOptions = {
  request: KubeRequest
  outlet: Outlet
  later?: { afterEvents: number; strike: StreamFault }
}

const gone = {
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version: the fault proxy says so',
    reason: 'Expired',
    code: 410,
  },
}

type Flow = (text: string) => void

/** A watch that passes everything on until it is struck. */
export const liveWatch = ({ request, outlet, later }: LiveWatchOptions): LiveWatch => {
  const state: FlowState = { flow: text => outlet.write(`${text}\n`), end: () => outlet.end(), outlet }
  let events = 0
  const strike = (fault: StreamFault) => {
    const consequence = consequences[fault.do] as (state: FlowState, fault: StreamFault) => void
    consequence(state, fault)
  }
  const strikeIfDue = () => later?.afterEvents === events && strike(later.strike)
  strikeIfDue()
  return {
    request,
    strike,
    line: text => {
      state.flow(text)
      if (isBookmark(text)) return
      events++
      strikeIfDue()
    },
    end: () => state.end(),
  }
}

/** What happens to the lines that still come, and to the end of the watch. */
type FlowState = { flow: Flow; end: () => void; readonly outlet: Outlet }

const nothing = () => {}

type Consequences = {
  [Name in StreamFault['do']]: (state: FlowState, fault: Extract<StreamFault, { do: Name }>) => void
}

const consequences: Consequences = {
  cut: state => {
    Object.assign(state, { flow: nothing, end: nothing })
    state.outlet.destroy()
  },
  end: state => {
    Object.assign(state, { flow: nothing, end: nothing })
    state.outlet.end()
  },
  freeze: state => Object.assign(state, { flow: nothing, end: nothing }),
  lose: state => {
    const { flow } = state
    state.flow = text => (isBookmark(text) ? flow(text) : undefined)
  },
  halve: state => {
    state.flow = text => {
      state.outlet.write(text.slice(0, text.length / 2))
      consequences.cut(state, { do: 'cut' })
    }
  },
  garbage: (state, { text }) => state.outlet.write(`${text}\n`),
  gone: state => {
    state.outlet.write(`${JSON.stringify(gone)}\n`)
    consequences.end(state, { do: 'end' })
  },
}

const isBookmark = (text: string): boolean => /"type"\s*:\s*"BOOKMARK"/.test(text)

/** The complete lines of a text that comes in pieces. */
export async function* lines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces) {
    const complete = (rest + piece).split('\n')
    rest = complete.pop() ?? ''
    yield* complete
  }
}
