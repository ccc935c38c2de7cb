// Kubeconfigs into the virtual garden whose tokens somebody else writes into them.
import { isMap, isText, mapsIn } from '../../../../shared/core/json/json.ts'
import { kubeconfigText } from '../parts/kubeconfig.ts'
import { yamlOrNothing } from '../parts/yaml-or-nothing.ts'

type AccessKubeconfig = {
  readonly server: string
  /** PEM in base64. */
  readonly caBundle: string
}

/** With the token of the one that is there, which is kept to the letter where server and authorities have not changed. */
export const accessKubeconfig = (wanted: AccessKubeconfig, present?: string): string => {
  const { cluster, token } = contentOf(present)
  const isCurrent = cluster.server === wanted.server && cluster['certificate-authority-data'] === wanted.caBundle
  if (present !== undefined && isCurrent && token !== '') return present
  return kubeconfigText('garden', { 'certificate-authority-data': wanted.caBundle, server: wanted.server }, { token })
}

/** Empty for what is no kubeconfig. */
const contentOf = (text = '') => {
  const kubeconfig = yamlOrNothing(text)
  const { clusters, users } = isMap(kubeconfig) ? kubeconfig : {}
  const [first] = mapsIn(clusters)
  const [firstUser] = mapsIn(users)
  const token = isMap(firstUser?.user) ? firstUser.user.token : undefined
  return { cluster: isMap(first?.cluster) ? first.cluster : {}, token: isText(token) ? token : '' }
}
