// Decides whether this host is ready: the API server answers, and the host is not stopping. Liveness is a separate probe.
import type { Client } from '../kube/client-types.ts'

export type HostReadiness = {
  /** Faults by check. Empty when the host is ready. */
  faults(): Promise<Readonly<Record<string, string>>>
  ends(): void
  readonly isEnding: boolean
}

type ReadinessParts = {
  client: () => Promise<Client>
  /** Probes within this time share one request to the API server. */
  freshMilliseconds?: number
  patienceMilliseconds?: number
}

export const readiness = (parts: ReadinessParts): HostReadiness => {
  const { freshMilliseconds = 3_000, patienceMilliseconds = 2_000 } = parts
  let isEnding = false
  let last: { at: number; fault: Promise<string | undefined> } | undefined
  const apiServerFault = (): Promise<string | undefined> => {
    if (last === undefined || performance.now() - last.at >= freshMilliseconds) {
      last = { at: performance.now(), fault: faultOf(parts.client, patienceMilliseconds) }
    }
    return last.fault
  }
  return {
    faults: async (): Promise<Record<string, string>> => {
      if (isEnding) return { host: 'it is shutting down' }
      const apiServer = await apiServerFault()
      return apiServer === undefined ? {} : { apiServer }
    },
    ends: () => {
      isEnding = true
    },
    get isEnding() {
      return isEnding
    },
  }
}

const faultOf = async (client: () => Promise<Client>, milliseconds: number): Promise<string | undefined> => {
  const bounds = { signal: AbortSignal.timeout(milliseconds), lastRequestAt: performance.now() + milliseconds }
  try {
    await (await client()).bound(bounds).raw({ method: 'GET', path: '/version' })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.name : 'unknown'
  }
}
