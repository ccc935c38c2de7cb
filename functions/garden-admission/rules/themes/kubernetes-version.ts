// The Kubernetes version of the virtual garden must be supported. Downgrades and skipped minor versions are refused.
import {
  kubernetesMinors,
  parseVersion,
  supportedMinor,
  type Version,
} from '../../../../shared/api/kubernetes/versions.ts'
import { comparePrereleases } from '../../../../shared/render/template/functions/versions.ts'
import { kubernetes } from '../paths.ts'
import { type GardenRule, type ReviewedGarden, relation, rule, says } from '../rule.ts'

type Change = { from: Version; to: Version }

const changeOf = ({ garden, before }: ReviewedGarden): Change | undefined => {
  const from = before && parseVersion(before.spec.virtualCluster.kubernetes.version)
  const to = parseVersion(garden.spec.virtualCluster.kubernetes.version)
  return from && to && { from, to }
}

const isDowngrade = ({ from, to }: Change): boolean =>
  (to.major - from.major ||
    to.minor - from.minor ||
    to.patch - from.patch ||
    comparePrereleases(to.prerelease, from.prerelease)) < 0

const skips = ({ from, to }: Change): boolean => to.major > from.major || to.minor - from.minor > 1

export const versionRules: readonly GardenRule[] = [
  rule<string>({
    at: [`${kubernetes}.version`],
    check: version => supportedMinor(version) === undefined,
    error: says.notSupported(kubernetesMinors),
  }),
  relation<string>({
    at: [`${kubernetes}.version`],
    check: (_, subject) => isTrueOf(changeOf(subject), isDowngrade),
    error: says.forbidden('kubernetes version downgrade is not supported'),
  }),
  relation<string>({
    at: [`${kubernetes}.version`],
    check: (_, subject) => isTrueOf(changeOf(subject), skips),
    error: says.forbidden('kubernetes version upgrade cannot skip a minor version'),
  }),
]

const isTrueOf = (change: Change | undefined, test: (change: Change) => boolean): boolean =>
  change !== undefined && test(change)
