// Whether we may install our version: istiod belongs to no Garden, and the version in use may be replaced by ours.
import { checks } from '../../../shared/core/decisions/checks.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { withoutUser } from '../../../shared/core/text/without-user.ts'
import { descriptions } from '../reasons.ts'
import { appliedConfiguration } from '../rules/applied-configuration.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { managedResourceOf } from '../rules/installation/found-objects.ts'
import { type InUse, imageOf, tagOf, targetTag, versionRefusal } from '../rules/version.ts'
import type { OwnershipFacts, World } from '../world.ts'
import { part } from './part.ts'

export const ownership = part({
  name: 'ownership',
  holds: (facts, world) => fault(world, facts) !== undefined,
  reports: (facts, { world }) => {
    const found = fault(world, facts)
    return found === undefined ? {} : { findings: [found] }
  },
})

const annotationUnreadable = ({ istio }: World): IstioFinding | undefined => {
  const applied = appliedConfiguration(istio)
  if ('read' in applied) return undefined
  const description = descriptions.unreadableAnnotation(applied.failed)
  return { state: 'Error', description, reason: 'IstioInstallUninstallFailed', answer: 'backoff' }
}

/** A Garden's ManagedResource owns istiod: its resource manager would undo what we write. */
const heldByGarden = (_: World, { istiod }: OwnershipFacts): IstioFinding | undefined => {
  const resource = istiod && managedResourceOf(istiod)
  if (resource === undefined) return undefined
  const description = descriptions.notInstalled(`Deployment istio-system/istiod belongs to ManagedResource ${resource}`)
  return { state: 'Error', description, reason: 'IstioInstallUninstallFailed', answer: 'backoff' }
}

const versionRefused = ({ istio, settings }: World, { istiod }: OwnershipFacts): IstioFinding | undefined => {
  const inUse = versionInUse(istio, istiod)
  const text = inUse && versionRefusal(targetTag(settings), inUse)
  if (text === undefined) return undefined
  const description = descriptions.versionRefused(text)
  return { state: 'Warning', description, reason: 'IstioVersionUpdateNotAllowed', answer: 'refusedVersion' }
}

const fault = checks<[World, OwnershipFacts], IstioFinding>(annotationUnreadable, heldByGarden, versionRefused)

/** The version that the annotation says was applied last. Without one, somebody else installed the mesh: the version of istiod's image. */
const versionInUse = (istio: World['istio'], istiod: KubeObject | undefined): InUse | undefined => {
  const applied = appliedConfiguration(istio)
  const tag = 'read' in applied ? applied.read?.tag : undefined
  if (tag !== undefined) return { tag, image: tag }
  const image = istiod && imageOf(istiod, 'discovery')
  return image === undefined ? undefined : { tag: tagOf(image), image: withoutUser(image) }
}
