// Compares versions with ranges in Chart.yaml files; a malformed one matches nothing.
import { Failure } from '../../template/run/failure.ts'
import { satisfies } from '../../template/semver/constraint.ts'
import { parseVersion } from '../../template/semver/version.ts'

export const isVersion = (text: string): boolean => holds(() => parseVersion(text) !== undefined)

/** Whether the version is in the range; the empty range has no version in it. */
export const fits = (version: string, range: string): boolean => holds(() => satisfies(parseVersion(version), range))

const holds = (question: () => boolean): boolean => {
  try {
    return question()
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}
