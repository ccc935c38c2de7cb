// What a quiet call for a Kyma and for a Manifest asks of API servers, and how long it takes; beside it bare GETs of the same number.
import { Pool } from 'undici'
import { barePages } from '../measure/bare-api.ts'
import { compared, inParallel, type Tally } from '../measure/load.ts'
import { requestsDuring } from './requests.ts'
import { collectionOf, namespace, type Programs, type Stage, secret } from './stage.ts'

export type Steady = {
  readonly name: 'kyma' | 'manifest'
  readonly requests: number
  readonly writes: number
  readonly calls: Tally
  readonly bare: Tally
}

const callers = 8
const objectsMost = 100

/** `requests`: as many GETs stand beside a call. */
export const steady = async (
  { plane }: Stage,
  programs: Programs,
  { name, requests, seconds }: { name: Steady['name']; requests: number; seconds: number },
): Promise<Steady> => {
  const names = await namesOf(plane.api, `${name}s`)
  const pool = new Pool(programs.hostUrl, { connections: callers })
  const call = async (turn: number, isQuiet: boolean): Promise<void> => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/functions/${name}`,
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...(isQuiet && { 'espalier-quiet': 'true' }),
      },
      body: JSON.stringify({ namespace, name: names[turn % names.length] }),
    })
    const answer = (await body.json()) as { outcome?: string }
    if (statusCode !== 200 || answer.outcome !== 'settled') throw new Error(`${statusCode} ${JSON.stringify(answer)}`)
  }
  await inParallel(names.length, callers, turn => call(turn, false))
  const counted = await requestsDuring(programs, () => inParallel(names.length, callers, turn => call(turn, true)))
  const path = collectionOf(`${name}s`)
  const gets = async (turn: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: requests }, (_, n) => plane.api.call('GET', `${path}/${names[(turn + n) % names.length]}`)),
    )
  }
  const { calls, bare } = await compared({ calls: turn => call(turn, true), bare: gets }, { callers, seconds })
  await pool.close()
  return { name, requests: counted.reads / names.length, writes: counted.writes, calls, bare }
}

const namesOf = async (api: Stage['plane']['api'], plural: string): Promise<string[]> => {
  const names: string[] = []
  for await (const { items } of barePages(api, collectionOf(plural)))
    names.push(...items.map(item => (item as { metadata: { name: string } }).metadata.name))
  return names.slice(0, objectsMost)
}
