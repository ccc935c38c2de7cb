// The findings of `espalier check` in the objects that were read, and what to do about each finding. Pure.
import { espalierVersion } from '../../api/espalier.ts'
import { isText, mapOrEmpty, mapsIn, shownText } from '../../core/json/json.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import { type KubeObject, keyOf, keyText, refOf, refText } from '../../core/objects/object.ts'
import { certificatesIn, lifetimeOf } from '../../core/tls/certificate.ts'
import { daysLeft, renewalDueDays } from '../../core/tls/renewal.ts'
import type { AccessQuestion } from '../../kube/reviews.ts'

export type CheckFinding = { readonly is: 'ok' | 'warning' | 'fault'; readonly about: string; readonly says: string }

export const sound = (about: string, says: string): CheckFinding => ({ is: 'ok', about, says })
const warning = (about: string, says: string): CheckFinding => ({ is: 'warning', about, says })
export const fault = (about: string, says: string): CheckFinding => ({ is: 'fault', about, says })

const textOf = (object: KubeObject): string => refText(refOf(object))

export const workloadFindings = (deployments: readonly KubeObject[], namespace: string): CheckFinding[] =>
  deployments.length === 0
    ? [
        fault(
          `Namespace ${namespace}`,
          'has no Deployment of Espalier; install it with kubectl apply -k manifests/deploy',
        ),
      ]
    : deployments.map(deployment => {
        const about = textOf(deployment)
        const { replicas = 1, template } = mapOrEmpty(deployment.spec)
        const { availableReplicas = 0 } = mapOrEmpty(deployment.status)
        const [container] = mapsIn(mapOrEmpty(mapOrEmpty(template).spec).containers)
        const image = shownText(container?.image)
        if (availableReplicas === 0)
          return fault(about, `no replica is available: espalier why deployment ${about.split('/')[1]} -n ${namespace}`)
        if (!isOfThisVersion(image))
          return warning(
            about,
            `runs ${image}, but this command is ${espalierVersion}; use the command of the same version`,
          )
        return sound(about, `${availableReplicas} of ${replicas} replicas run ${image}`)
      })

/** Whether the image has this version. Releases name images by digest. A digest without a tag has no version, and counts as current. */
const isOfThisVersion = (image: string): boolean => {
  const [name = '', digest] = image.split('@')
  return name.endsWith(`:${espalierVersion}`) || (digest !== undefined && !/:[^/]*$/.test(name))
}

/** `found`: the definition in the cluster, which may come from a Go operator. */
export const definitionFindings = (expected: KubeObject, found: KubeObject | undefined): CheckFinding => {
  const about = textOf(expected)
  if (!found) return fault(about, 'does not exist: kubectl apply -k manifests/crds')
  if (!isTrue(conditionOf(found, 'Established')))
    return fault(about, 'is not Established; see its conditions with kubectl describe crd')
  const served = mapsIn(mapOrEmpty(found.spec).versions).filter(version => version.served === true)
  const versions = mapsIn(mapOrEmpty(expected.spec).versions).flatMap(({ name, storage }) => (storage ? [name] : []))
  const lost = versions.filter(version => !served.some(({ name }) => name === version))
  if (lost.length > 0)
    return fault(about, `spec.versions does not serve ${lost.join(', ')}: kubectl apply -k manifests/crds`)
  return sound(about, `serves ${versions.join(', ')}`)
}

type Answer = {
  readonly name: string
  readonly account: string
  readonly attributes: AccessQuestion
  readonly isAllowed: boolean
}

/** One finding for each function: its account has all rights, or lacks a right. Only the first missing right is named. */
export const rightFindings = (answers: readonly Answer[]): CheckFinding[] =>
  [...Map.groupBy(answers, ({ name }) => name)].map(([name, own]) => {
    const about = `rights of ${name}`
    const [first, ...more] = own.filter(({ isAllowed }) => !isAllowed)
    if (!first) return sound(about, `has all ${own.length}`)
    const { group, resource, subresource, verb, namespace } = first.attributes
    const what = `${resource}${subresource ? `/${subresource}` : ''}${group ? ` of ${group}` : ''}`
    const where = namespace ? ` in ${namespace}` : ''
    const file = namespace ? `manifests/namespaces/${namespace}.yaml` : '-k manifests/deploy'
    const rest = more.length > 0 ? `, and ${more.length} more` : ''
    const command = namespace ? `kubectl apply -f ${file}` : `kubectl apply ${file}`
    return fault(about, `the account ${first.account} may not ${verb} ${what}${where}${rest}: ${command}`)
  })

/** `slices`: the EndpointSlices of our namespace. */
export const webhookFindings = (
  configurations: readonly KubeObject[],
  slices: readonly KubeObject[],
  namespace: string,
): CheckFinding[] => {
  if (configurations.length === 0)
    return [warning('webhooks', 'there is no webhook configuration of Espalier: kubectl apply -k manifests/deploy')]
  return configurations.flatMap(configuration =>
    mapsIn(configuration.webhooks).map(webhook => {
      const about = `${textOf(configuration)} webhook ${shownText(webhook.name)}`
      const { caBundle, service } = mapOrEmpty(webhook.clientConfig)
      if (!isText(caBundle) || caBundle === '')
        return fault(
          about,
          `clientConfig.caBundle is empty: see why the function webhook-certificate does not fill it in: kubectl logs deployment/host -n ${namespace}`,
        )
      const { name } = mapOrEmpty(service)
      return service === undefined || slices.some(slice => isReadyFor(slice, name))
        ? sound(about, 'is trusted and answered')
        : fault(
            about,
            `Service ${shownText(name)} has no ready endpoint, so its requests are refused: espalier why deployment host -n ${namespace}`,
          )
    }),
  )
}

const isReadyFor = (slice: KubeObject, service: unknown): boolean =>
  slice.metadata.labels?.['kubernetes.io/service-name'] === service &&
  mapsIn(slice.endpoints).some(({ conditions }) => mapOrEmpty(conditions).ready !== false)

export const certificateFindings = (secret: KubeObject, now: Date): CheckFinding => {
  const about = textOf(secret)
  const pem = mapOrEmpty(secret.data)['tls.crt']
  const [certificate] = isText(pem) ? certificatesIn(Buffer.from(pem, 'base64').toString()) : []
  if (!certificate)
    return fault(about, 'tls.crt contains no certificate; delete the Secret, and its function creates it again')
  const days = daysLeft(lifetimeOf(certificate).to, now)
  if (days < 0)
    return fault(about, `the certificate expired ${-days} days ago; look at the log of the function that renews it`)
  if (days < renewalDueDays) return warning(about, `the certificate expires in ${days} days and was not renewed`)
  return sound(about, `the certificate expires in ${days} days`)
}

/** `leases`: the Leases of relays and of their shards. */
export const relayFindings = (leases: readonly KubeObject[], namespace: string, now: Date): CheckFinding[] => {
  const ofRole = (role: string) =>
    leases.filter(({ metadata }) => metadata.labels?.['espalier.dev/relay-lease'] === role)
  const living = ofRole('relay').filter(lease => isLive(lease, now))
  if (living.length === 0)
    return [
      fault(
        'relays',
        `no relay renews its Lease, so no function is called: espalier why deployment relay -n ${namespace}`,
      ),
    ]
  const names = living.map(({ metadata }) => metadata.name)
  const lost = ofRole('shard').filter(
    ({ spec }) => !names.some(name => name.endsWith(`-${mapOrEmpty(spec).holderIdentity}`)),
  )
  return [
    sound('relays', `${living.length} live`),
    ...lost.map(shard =>
      warning(
        `Lease ${keyText(keyOf(shard))}`,
        'no running relay has this shard; another relay takes it within a minute',
      ),
    ),
  ]
}

const isLive = ({ spec }: KubeObject, now: Date): boolean => {
  const { renewTime, leaseDurationSeconds } = mapOrEmpty(spec)
  return isText(renewTime) && Date.parse(renewTime) + 2_000 * Number(leaseDurationSeconds ?? 15) > now.getTime()
}

/** The Go operators that Espalier replaces, by the names of their Deployments and images. */
const goOperators = [
  { is: /^gardener-operator$|\/gardener\/operator[:@]/, kinds: ['Garden'], name: 'gardener-operator' },
  {
    is: /^klm-controller-manager$|\/lifecycle-manager[:@]/,
    kinds: ['Kyma', 'Manifest', 'Watcher'],
    name: 'lifecycle-manager',
  },
  { is: /^istio-controller-manager$|\/istio-manager[:@]/, kinds: ['Istio'], name: 'the Kyma Istio module' },
] as const

export type GoOperator = (typeof goOperators)[number]['name']

/** Recognizes the operator by its Deployment's name or image. */
export const goOperatorIn = (deployment: KubeObject): (typeof goOperators)[number] | undefined => {
  const { template } = mapOrEmpty(deployment.spec)
  const images = mapsIn(mapOrEmpty(mapOrEmpty(template).spec).containers).map(({ image }) => shownText(image))
  return goOperators.find(({ is }) => [deployment.metadata.name, ...images].some(text => is.test(text)))
}

/** `deployments`: the Deployments of all namespaces. `kind`: only operators that handle this kind. */
export const goOperatorFindings = (deployments: readonly KubeObject[], kind?: string): CheckFinding[] => {
  const found = deployments
    .filter(({ spec }) => mapOrEmpty(spec).replicas !== 0)
    .flatMap(deployment => {
      const operator = goOperatorIn(deployment)
      const kinds: readonly string[] = operator?.kinds ?? []
      if (kinds.length === 0 || (kind !== undefined && !kinds.includes(kind))) return []
      const { name, namespace } = deployment.metadata
      const says = `a Go operator keeps ${kinds.map(kept => `${kept}s`).join(', ')}, too: kubectl scale deployment ${name} -n ${namespace} --replicas 0. espalier check --arguments-of ${name} -n ${namespace} translates its arguments`
      return [fault(textOf(deployment), says)]
    })
  return found.length > 0 ? found : [sound('Go operators', 'none runs')]
}
