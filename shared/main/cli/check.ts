// `espalier check`: whether an installation can work. Each row of `subjects` reads one subject; check-findings.ts judges it.
import { kymaNames } from '../../api/kyma/names.ts'
import type { AccessRule } from '../../api/serverless.ts'
import { mapOrEmpty, shownText } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { espalierAnnotations } from '../../core/objects/steering.ts'
import { certificateSecretName } from '../../deploy/manifests/conventions.ts'
import { customResources } from '../../deploy/manifests/manifests.ts'
import { atOnce } from '../../kube/at-once.ts'
import { reading } from '../../kube/reading.ts'
import { isAllowed } from '../../kube/reviews.ts'
import { certificateNamespace, certificatePurpose, gatewaySecretName, rootSecretName } from '../../kyma/certificates.ts'
import { columns, wrapped } from '../start/terminal.ts'
import {
  type CheckFinding,
  certificateFindings,
  definitionFindings,
  fault,
  goOperatorFindings,
  relayFindings,
  rightFindings,
  sound,
  webhookFindings,
  workloadFindings,
} from './check-findings.ts'
import type { Command } from './command.ts'
import { type ReadingProcess, reads } from './reading-process.ts'

export const checkCommand: Command = {
  name: 'check',
  usage: '[-- ARGUMENT…]',
  sentence:
    'Checks the installation: versions, definitions, rights, webhooks, certificates, relays, and whether a Go operator still runs. Exit 1 for warnings, 2 for faults. Or translates arguments of a Go operator: exit 1 if you must translate an argument yourself.',
  options: {
    'arguments-of': {
      type: 'string',
      value: 'NAME',
      sentence:
        'Translates the arguments of this Deployment, which runs a Go operator; without this option, the arguments after --',
    },
  },
  examples: [
    'espalier check',
    'espalier check --context production -o json',
    'espalier check --arguments-of klm-controller-manager -n kcp-system',
    'espalier check -- --log-level=2 --skr-image-pull-secret=pull',
  ],
  run: async ({ options, words }) => {
    const of = options['arguments-of']
    if (of !== undefined || words.length > 0) {
      const { argumentsResult } = await import('./arguments/result.ts')
      return argumentsResult({ options, words, of })
    }
    return reads(options, async process => {
      const findings = await findingsIn(process)
      const code = findings.some(({ is }) => is === 'fault') ? 2 : findings.some(({ is }) => is === 'warning') ? 1 : 0
      return { data: findings, text: findings.map(line).join('\n'), code }
    })
  },
}

/** If no API server answers, nothing else is checked. */
export const findingsIn = async (process: ReadingProcess): Promise<readonly CheckFinding[]> => {
  const version = await reading(process.local.raw({ method: 'GET', path: '/version' }))
  if ('failed' in version) return [fault('API server', `does not answer: ${version.failed}`)]
  const { gitVersion } = mapOrEmpty(version.read)
  const isInProcess = await runsInProcess(process)
  const asked = subjects.filter(({ ofPrograms }) => !isInProcess || !ofPrograms)
  const found = await Promise.all(asked.map(subject => foundBy(subject, process)))
  return [
    sound('API server', `is Kubernetes ${shownText(gitVersion)}`),
    ...(isInProcess ? [sound('host and relay', 'run in the process of npm start, and log into .espalier/logs')] : []),
    ...found.flat(),
  ]
}

/** Whether host and relay run in `npm start`. Its annotation stays after a later installation, so Deployments count more. */
const runsInProcess = async (process: ReadingProcess): Promise<boolean> => {
  const { namespace: name } = process.landscape.provider
  const found = await reading(process.local.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name }))
  const isMarked = 'read' in found && found.read?.metadata.annotations?.[espalierAnnotations.inProcess] === 'yes'
  return isMarked && (await programs(process)).length === 0
}

const programs = ({ local, landscape: { provider } }: ReadingProcess): Promise<readonly KubeObject[]> =>
  local.list({ ...deploymentKind, namespace: provider.namespace, labelSelector: 'app.kubernetes.io/name=espalier' })

const line = ({ is, about, says }: CheckFinding): string => wrapped(`${is.padEnd(8)} ${about}: ${says}`, 9, columns)

type Subject = {
  readonly about: string
  /** The subject exists only if the programs run as workloads. */
  readonly ofPrograms?: boolean
  read(process: ReadingProcess): Promise<readonly CheckFinding[]>
}

/** A failed read is a warning, because it does not prove a fault. */
const foundBy = async ({ about, read }: Subject, process: ReadingProcess): Promise<readonly CheckFinding[]> => {
  const found = await reading(read(process))
  return 'read' in found ? found.read : [{ is: 'warning', about, says: `cannot be checked: ${found.failed}` }]
}

const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' }

const subjects: readonly Subject[] = [
  {
    about: 'workloads',
    ofPrograms: true,
    read: async process => workloadFindings(await programs(process), process.landscape.provider.namespace),
  },
  {
    about: 'definitions',
    read: async ({ local }) => {
      const expected = customResources().flatMap(({ objects }) => objects as readonly KubeObject[])
      const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', namespace: '' }
      const found = await Promise.all(expected.map(({ metadata: { name } }) => local.get({ ...kind, name })))
      return expected.map((definition, at) => definitionFindings(definition, found[at]))
    },
  },
  { about: 'rights', read: process => rights(process) },
  {
    about: 'webhooks',
    ofPrograms: true,
    read: async ({ local, landscape: { provider } }) => {
      const labelSelector = 'app.kubernetes.io/part-of=espalier'
      const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
      const apiVersion = 'admissionregistration.k8s.io/v1'
      const lists = await Promise.all(kinds.map(kind => local.list({ apiVersion, kind, labelSelector })))
      const place = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace: provider.namespace }
      return webhookFindings(lists.flat(), await local.list(place), provider.namespace)
    },
  },
  { about: 'certificates', read: process => certificates(process) },
  {
    about: 'relays',
    ofPrograms: true,
    read: async ({ local, landscape: { provider } }) => {
      const query = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: provider.namespace }
      const leases = await local.list({ ...query, labelSelector: 'espalier.dev/relay-lease' })
      return relayFindings(leases, provider.namespace, new Date())
    },
  },
  {
    about: 'Go operators',
    read: async ({ local }) => goOperatorFindings(await local.list(deploymentKind)),
  },
]

const certificates = async ({ local, landscape: { provider } }: ReadingProcess): Promise<readonly CheckFinding[]> => {
  const secret = { apiVersion: 'v1', kind: 'Secret' }
  const places = [
    { namespace: provider.namespace, name: certificateSecretName },
    ...[rootSecretName, gatewaySecretName].map(name => ({ namespace: certificateNamespace, name })),
  ]
  const labelSelector = `${kymaNames.labels.purpose}=${certificatePurpose}`
  const [named, ofRuntimes] = await Promise.all([
    Promise.all(places.map(place => local.get({ ...secret, ...place }))),
    local.list({ ...secret, namespace: certificateNamespace, labelSelector }),
  ])
  return [...named.flatMap(found => found ?? []), ...ofRuntimes].map(found => certificateFindings(found, new Date()))
}

/** The maximum number of concurrent requests. */
const questionsMost = 8

/** Checks for each right of serverless.yml whether the function's account has it, or the account of the host of all functions. */
const rights = async ({ local, landscape }: ReadingProcess): Promise<readonly CheckFinding[]> => {
  const { namespace } = landscape.provider
  const there = new Set(
    (await local.list({ apiVersion: 'v1', kind: 'Namespace', metadataOnly: true })).map(
      ({ metadata }) => metadata.name,
    ),
  )
  const accounts = (await local.list({ apiVersion: 'v1', kind: 'ServiceAccount', namespace })).map(
    ({ metadata }) => metadata.name,
  )
  const isShared = accounts.includes('host')
  const asked = Object.entries(landscape.functions)
    .filter(([name]) => isShared || accounts.includes(name))
    .flatMap(([name, { access }]) =>
      access.flatMap(rule =>
        attributesOf(rule)
          .filter(({ namespace }) => namespace === undefined || there.has(namespace))
          .map(attributes => ({ name, account: isShared ? 'host' : name, attributes })),
      ),
    )
  const answers = await atOnce(
    asked.map(one => async () => {
      const user = { username: `system:serviceaccount:${namespace}:${one.account}` }
      return { ...one, isAllowed: await isAllowed(local, user, one.attributes) }
    }),
    questionsMost,
  )
  return rightFindings(answers)
}

/** The single rights of a rule. */
const attributesOf = ({ apiGroups, resources, verbs, resourceNames = [], namespaces = [] }: AccessRule) =>
  apiGroups.flatMap(group =>
    resources.flatMap(named =>
      verbs.flatMap(verb =>
        (namespaces.length > 0 ? namespaces : [undefined]).flatMap(namespace =>
          (resourceNames.length > 0 ? resourceNames : [undefined]).map(name => {
            const [resource = '', subresource] = named.split('/')
            return { group, resource, subresource, verb, namespace, name }
          }),
        ),
      ),
    ),
  )
