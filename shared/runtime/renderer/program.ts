// A renderer as a program: it answers whoever started it, and ends with it. Nothing here minds what charts take: whoever started
// it watches it, and kills it.
import { createContext, Script } from 'node:vm'
import { answering } from './answering.ts'
import type { Request, Told } from './messages.ts'

/** Of a process that was forked. */
type Channel = Pick<NodeJS.Process, 'on' | 'send' | 'exit' | 'memoryUsage'>

/** Serves the other end of the channel. */
export const serveRenderings = (channel: Channel): void => {
  const answer = answering()
  const within = timeLimit()
  const tell = (told: Told) => channel.send?.(told)
  channel.on('message', message => {
    const request = message as Request
    within(request.secondsMost, () => {
      const given = answer(request, at => tell({ at }))
      tell({ answer: given, bytes: channel.memoryUsage.rss() })
    })
  })
  channel.on('disconnect', () => channel.exit())
  // What a terminal sends to a whole group is the host's to obey, which may have calls to end.
  channel.on('SIGINT', () => {})
  tell({ isUp: true })
}

/**
 * Throws, and so ends the program, when something takes longer. Who started it would have killed it long before, unless it is
 * gone itself: a program that never comes to rest does not notice that.
 */
const timeLimit = () => {
  const room = createContext({ run: () => {} })
  const script = new Script('run()')
  return (seconds: number, run: () => void): void => {
    room.run = run
    script.runInContext(room, { timeout: seconds * 1_000 })
  }
}
