// Finds a Pod of the mesh that does not run the installed version.
import type { IstioInstallation } from '../../../shared/api/installation.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { withoutUser } from '../../../shared/core/text/text.ts'
import { descriptions } from '../reasons.ts'
import { imageOf, plainVersion, tagOf, targetTag } from './version.ts'

export const strayVersion = (
  pods: readonly KubeObject[],
  settings: Pick<IstioInstallation, 'images' | 'profiles'>,
): string | undefined => {
  const wanted = plainVersion(targetTag(settings)) ?? targetTag(settings)
  const [other] = pods.flatMap(versionsOf).filter(version => version !== wanted)
  return other === undefined ? undefined : descriptions.podVersions(other, wanted)
}

const containers = ['discovery', 'istio-proxy', 'install-cni']

/** The version in an image's tag, otherwise the image. */
const versionsOf = (pod: KubeObject): string[] =>
  containers.flatMap(container => {
    const image = imageOf(pod, container)
    return image === undefined ? [] : [plainVersion(tagOf(image)) ?? withoutUser(image)]
  })
