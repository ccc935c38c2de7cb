// `npm run bench:component-neighbours [-- --seconds 60]`: what Components that wait for registries and API servers without end cost the
// Components of others, on a real API server.
import { parseArgs } from 'node:util'
import { type Attack, attackers, type Beside, neighbours, perSecond } from './component/neighbours.ts'
import { silentServers } from './component/silent-servers.ts'
import { onStage } from './component/stage.ts'
import { figures, type Goal, print, type Row, ratio } from './measure/report.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })
const seconds = Number(values.seconds)
const namespaces = 20

const about = `${attackers} Components are made at once that wait for a server which takes connections and answers nothing, while ${perSecond} Components
a second of others are changed: 200 with one ConfigMap each, in twenty namespaces. What is measured is the time from a change until the
Component is Ready again. ${seconds} s for each row, and before it as long without the attack. Of the twenty registries ten are asked by TLS,
whose handshake never ends. The first attack is none: its Components wait for nothing, so it shows what sixty new Components cost by themselves.`

const plain = await silentServers(11)
const secret = await silentServers(11)
const drips = await silentServers(1, 'drips')
const attacks: readonly Attack[] = [
  { name: 'sixty that wait for nothing, twenty new namespaces', namespaces, hosts: [], by: 'nothing' },
  { name: 'a silent registry, one namespace', namespaces: 1, hosts: plain.slice(0, 1), by: 'registry' },
  { name: 'a silent registry, twenty new namespaces', namespaces, hosts: plain.slice(0, 1), by: 'registry' },
  {
    name: 'twenty silent registries, twenty new namespaces',
    namespaces,
    hosts: [...plain.slice(1), ...secret.slice(1)],
    by: 'registry',
  },
  {
    name: 'a silent API server by sixty kubeconfigs, one namespace',
    namespaces: 1,
    hosts: secret.slice(0, 1),
    by: 'kubeconfig',
  },
  { name: 'the same, twenty new namespaces', namespaces, hosts: secret.slice(0, 1), by: 'kubeconfig' },
  { name: 'a registry that sends a byte a second, twenty new namespaces', namespaces, hosts: drips, by: 'registry' },
]

const rowOf = ({ attack, changes, p50, p99 }: Beside, alone: Beside): Row => ({
  attack,
  'changes of others': changes,
  'p50 ms until Ready': p50,
  'p99 ms': p99,
  'p99 : without': ratio(p99, alone.p99),
})

const goal = ([, ...found]: readonly Beside[][]): Goal => {
  const worst = Math.max(...found.map(([alone, beside]) => (beside?.p99 ?? Number.NaN) / (alone?.p99 ?? Number.NaN)))
  return {
    asks: `RE-73 ${attackers} Components of one tenant wait for servers that never answer: p99 of the others at most doubles`,
    found: `${figures(worst)} times in the worst case`,
    isMet: worst <= 2,
  }
}

const installation = {
  hostFlags: ['--registries=127.0.0.1', `--plain-registries=${[...plain, ...drips].join(',')}`],
  kubeConfigHosts: ['127.0.0.1'],
}

await onStage(async stage => {
  const found = await neighbours(stage, attacks, seconds)
  const rows = found.flatMap(pair => pair.map(one => rowOf(one, pair[0] ?? one)))
  print({ title: 'Neighbours of Components that wait', about, tables: [rows], goals: [goal(found)] })
}, installation)
