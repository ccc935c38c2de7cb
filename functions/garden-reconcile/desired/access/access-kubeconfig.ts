// Kubeconfigs into the virtual garden whose tokens somebody else writes into them.
import { parseDocument } from 'yaml'
import { isMap, isText, mapsIn } from '../../../../shared/core/json.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'

type AccessKubeconfig = {
  readonly server: string
  /** PEM in base64. */
  readonly caBundle: string
}

const name = 'garden'

/** With the token of the one that is there, which is kept to the letter where server and authorities have not changed. */
export const accessKubeconfig = (wanted: AccessKubeconfig, present?: string): string => {
  const { cluster, token } = contentOf(present)
  const isCurrent = cluster.server === wanted.server && cluster['certificate-authority-data'] === wanted.caBundle
  if (present !== undefined && isCurrent && token !== '') return present
  return yamlOf({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': name },
    clusters: [{ name, cluster: { 'certificate-authority-data': wanted.caBundle, server: wanted.server } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: { token } }],
  })
}

/** Empty for what is no kubeconfig. */
const contentOf = (text = '') => {
  const document = parseDocument(text)
  const kubeconfig: unknown = document.errors.length > 0 ? {} : document.toJS()
  const { clusters, users } = isMap(kubeconfig) ? kubeconfig : {}
  const [first] = mapsIn(clusters)
  const [firstUser] = mapsIn(users)
  const token = isMap(firstUser?.user) ? firstUser.user.token : undefined
  return { cluster: isMap(first?.cluster) ? first.cluster : {}, token: isText(token) ? token : '' }
}
