// The program of a renderer process. The program answers its host, and ends when the host ends. The host limits time and memory, and kills
// the process. Parsed charts and templates are cached for the next request.
import { getPriority, setPriority } from 'node:os'
import { createContext, Script } from 'node:vm'
import { answering } from './answering.ts'
import type { RendererMessage, Request } from './renderer.ts'

type Channel = Pick<NodeJS.Process, 'on' | 'send' | 'exit' | 'memoryUsage'>

export const serveRenderings = (channel: Channel): void => {
  // The host has priority over renderers, because it answers webhooks.
  setPriority(Math.min(19, getPriority() + 5))
  const answer = answering()
  const within = timeLimit()
  const send = (message: RendererMessage) => channel.send?.(message)
  channel.on('message', message => {
    const request = message as Request
    within(request.secondsMost, () => {
      const given = answer(request, at => send({ at }))
      send({ answer: given, bytes: channel.memoryUsage.rss() })
    })
  })
  channel.on('disconnect', () => channel.exit())
  // A terminal sends Ctrl-C to all processes of its group. The host decides when the renderer ends, because calls may be running.
  channel.on('SIGINT', () => {})
  send({ isUp: true })
}

/**
 * Throws, and thus ends the program, when a rendering takes too long. A running host kills the program much earlier. If the host is gone,
 * an endless rendering never receives `disconnect`.
 */
const timeLimit = () => {
  const room = createContext({ run: () => {} })
  const script = new Script('run()')
  return (seconds: number, run: () => void): void => {
    room.run = run
    script.runInContext(room, { timeout: seconds * 1_000 })
  }
}
