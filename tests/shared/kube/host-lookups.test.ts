// Name servers of somebody else, which answer when they like: on lookups that the test ends, and a clock that stands still.
import t from 'tap'
import { lookupsInLanes, type Resolve } from '../../../shared/kube/kubeconfigs/allowed-hosts.ts'

const address = [{ address: '192.0.2.1', family: 4 }]

const lanes = () => {
  const clock = { now: 0 }
  const running: { name: string; end: () => void }[] = []
  const system: Resolve = (name, _, callback) =>
    void running.push({ name, end: () => callback(name === 'unknown' ? new Error('ENOTFOUND') : null, address) })
  const resolve = lookupsInLanes(system, () => clock.now)
  const told: string[] = []
  const ask = (name: string) =>
    resolve(
      name,
      { all: true },
      (error, addresses) => void told.push(`${name} ${error?.message ?? addresses[0]?.address}`),
    )
  /** Ends the lookup of this name that runs, after so many seconds. */
  const end = (name: string, seconds = 0) => {
    clock.now += seconds * 1000
    const at = running.findIndex(one => one.name === name)
    running.splice(at, 1)[0]?.end()
  }
  return { clock, ask, end, told, running: () => running.map(({ name }) => name) }
}

t.test('RE-28 lookups at slow name servers delay only each other, and at most three lookups run', async t => {
  const { clock, ask, end, told, running } = lanes()
  ask('ours')
  end('ours')
  for (const name of ['bad-1', 'bad-2']) {
    ask(name)
    end(name, 20)
  }
  told.splice(0)
  for (const name of ['bad-1', 'bad-2', 'new-1', 'new-2', 'ours']) ask(name)
  t.strictSame(running(), ['bad-1', 'new-1', 'ours'])
  end('ours')
  end('new-1')
  t.strictSame(told.splice(0), ['ours 192.0.2.1', 'new-1 192.0.2.1'])
  t.strictSame(running(), ['bad-1', 'new-2'])
  end('bad-1')
  ask('bad-1')
  t.strictSame(running(), ['new-2', 'bad-2'], 'one quick answer does not make a slow host a quick one')
  end('bad-2')
  end('bad-1')
  clock.now += 3_600_000
  end('new-2')
  ask('bad-1')
  ask('bad-2')
  t.strictSame(running(), ['bad-1'], 'after an hour it is as good as its last answer')
})

t.test('RE-28 a name that is asked for again meanwhile is looked up once', async t => {
  const { ask, end, told, running } = lanes()
  for (let n = 0; n < 3; n++) ask('a')
  t.strictSame(running(), ['a'])
  end('a')
  t.strictSame(told, Array(3).fill('a 192.0.2.1'))
  ask('a')
  t.strictSame(running(), ['a'])
})

t.test('RE-28 everybody who asked for a name without address gets the error', async t => {
  const { ask, end, told } = lanes()
  ask('unknown')
  end('unknown')
  t.strictSame(told, ['unknown ENOTFOUND'])
})
