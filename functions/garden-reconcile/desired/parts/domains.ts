// Names by which the virtual garden is reached.
import type { World } from '../../world.ts'

/** Of the virtual garden; the first one counts where only one can. */
export const virtualDomains = ({ garden }: World): readonly string[] => {
  const { domains, domain } = garden.spec.virtualCluster.dns
  return domains?.map(({ name }) => name) ?? (domain === undefined ? [] : [domain])
}

/** `api.<first domain>` */
export const apiHost = (world: World): string => `api.${virtualDomains(world)[0] ?? ''}`
