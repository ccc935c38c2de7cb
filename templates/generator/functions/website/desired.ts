// The objects of a Website.
import type { Key, KubeObject } from 'espalier'
import type { WebsiteSpec } from '../../kinds/website.ts'

export const deployment = ({ namespace, name }: Key, { greeting, replicas }: WebsiteSpec): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'nginx', env: [{ name: 'GREETING', value: greeting }] }] },
    },
  },
})
