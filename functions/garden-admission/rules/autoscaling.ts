// What autoscalers are told: amounts of cpu and memory alone, and never less than a component needs to start.
import { invalid, notSupported } from '../../../shared/core/field-error.ts'
import { quantityAmount } from '../../../shared/core/quantity.ts'
import { etcd, kubeAPIServer, settings } from './paths.ts'
import { type Rule, rule, ruleOfEach, says } from './rule.ts'

type Resources = Readonly<Record<string, string | number>>

const scaled: readonly string[] = ['cpu', 'memory']

/** The least each component may be promised. */
const floors: readonly { at: string; least: Resources }[] = [
  { at: `${etcd}.main.autoscaling.minAllowed`, least: { memory: '300M' } },
  { at: `${etcd}.events.autoscaling.minAllowed`, least: { memory: '60M' } },
  { at: `${kubeAPIServer}.autoscaling.minAllowed`, least: { cpu: '20m', memory: '200M' } },
]
const minAllowed = floors.map(({ at }) => at)

const amount = (quantity: string | number | undefined): number => quantityAmount(quantity ?? 0) ?? 0

const underFloor = ({ at, least }: (typeof floors)[number]): Rule =>
  ruleOfEach<Resources, string>({
    at: [at],
    check: resources =>
      Object.keys(least).filter(
        name => Object.hasOwn(resources, name) && amount(resources[name]) < amount(least[name]),
      ),
    error: ({ path, value }, name) => invalid(`${path}.${name}`, value[name], `must be at least ${least[name]}`),
  })

export const autoscalingRules: readonly Rule[] = [
  rule<Resources>({
    at: minAllowed,
    check: resources => Object.keys(resources).length === 0,
    error: says.required('must name cpu or memory'),
  }),
  ruleOfEach<Resources, string>({
    at: [...minAllowed, `${settings}.verticalPodAutoscaler.maxAllowed`],
    check: resources => Object.keys(resources).filter(name => !scaled.includes(name)),
    error: ({ path }, name) => notSupported(`${path}.${name}`, name, scaled),
  }),
  ...floors.map(underFloor),
]
