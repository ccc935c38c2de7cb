// Sends queued events to the control plane, one at a time per manager, until each is accepted.
import type { Log } from '../core/log.ts'
import type { RelayClock } from '../relay/time/clock.ts'
import type { ControlPlane, PostFailure } from './control-plane.ts'
import type { EventQueue, Sending } from './event-queue.ts'
import type { AgentMetrics } from './metrics.ts'

type DeliveryParts = {
  queue: EventQueue
  controlPlane: Pick<ControlPlane, 'post'>
  clock: RelayClock
  metrics: Pick<AgentMetrics, 'posted' | 'failed'>
  log: Log
}

type Delivery = {
  /** Call after adding an event to the queue. */
  hasNews(): void
  stop(): void
}

export const startDelivery = (parts: DeliveryParts): Delivery => {
  const { queue, clock } = parts
  const say = troubleLog(parts.log)
  let isStopped = false
  let callOff = () => {}
  const send = async (sending: Sending): Promise<void> => {
    const failure = await posted(sending, parts)
    say(sending.manager, failure)
    if (failure) queue.failed(sending.manager, { ...failure, isBroken: isBroken(failure), now: clock.monotonic() })
    else queue.taken(sending.manager)
    sendAll()
  }
  const sendAll = (): void => {
    if (isStopped) return
    for (let next = queue.take(clock.monotonic()); next; next = queue.take(clock.monotonic())) void send(next)
    callOff()
    const at = queue.nextAt()
    callOff = at === undefined ? () => {} : clock.after(at - clock.monotonic(), sendAll)
  }
  return {
    hasNews: sendAll,
    stop: () => {
      isStopped = true
      callOff()
    },
  }
}

const isBroken = ({ code }: PostFailure): boolean => code === 400 || code === 413

const posted = async (sending: Sending, { controlPlane, metrics }: DeliveryParts): Promise<PostFailure | undefined> => {
  metrics.posted()
  const failure = await controlPlane.post(sending)
  if (failure) metrics.failed(failure.reason)
  return failure
}

/** Logs when a manager stops accepting events and when it continues. Further failures are debug lines. */
const troubleLog = (log: Log) => {
  const inTrouble = new Set<string>()
  return (manager: string, failure: PostFailure | undefined): void => {
    if (failure && inTrouble.has(manager))
      log.debug({ manager, ...failure }, 'the control plane still does not accept events')
    else if (failure) log.warn({ manager, ...failure }, 'the control plane does not accept events')
    else if (inTrouble.has(manager)) log.info({ manager }, 'the control plane accepts events again')
    if (failure) inTrouble.add(manager)
    else inTrouble.delete(manager)
  }
}
