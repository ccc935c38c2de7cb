// What `helm test` runs: it fails when a Deployment is not available, and lists objects that finalizers hold.
import { readFileSync } from 'node:fs'

const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, RELEASE_NAMESPACE: namespace, KINDS } = process.env
const account = process.env.ACCOUNT_FOLDER ?? '/var/run/secrets/kubernetes.io/serviceaccount'
const authorization = `Bearer ${readFileSync(`${account}/token`, 'utf8')}`
const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`

const list = async path => {
  const answer = await fetch(`${server}/apis/${path}`, { headers: { authorization } })
  if (answer.status === 429) {
    await new Promise(resolve => setTimeout(resolve, 1_000))
    return list(path)
  }
  // There is no such kind, so there are no objects either.
  if (answer.status === 404) return []
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()).items
}

const isAvailable = ({ status }) =>
  status?.conditions?.some(({ type, status }) => type === 'Available' && status === 'True')

const deployments = await list(`apps/v1/namespaces/${namespace}/deployments`)
const away = deployments.filter(one => !isAvailable(one)).map(({ metadata }) => metadata.name)

for (const { group, version, resource } of JSON.parse(KINDS))
  for (const { metadata } of await list(`${group}/${version}/${resource}`))
    if (metadata.finalizers?.length)
      console.log(`${resource}.${group} ${metadata.namespace ?? ''}/${metadata.name}: ${metadata.finalizers.join(', ')}`)

if (away.length > 0) {
  console.error(`not available: Deployments ${away.join(', ')} of namespace ${namespace}`)
  process.exitCode = 1
}
