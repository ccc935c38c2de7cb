// Semantic versions: reading one, and whether one fits a constraint.
import { Failure } from '../run/failure.ts'
import { compareVersions, parseVersion, satisfies, type Version, versionText } from '../semver.ts'
import { type FunctionTable, fn } from '../value/signature.ts'
import { type GoValue, Sized, Struct, type TemplateFunction } from '../value/value.ts'

const typeName = '*semver.Version'

const comparing = (own: Version, does: (order: number) => GoValue): TemplateFunction =>
  fn('any', other => {
    if (!(other instanceof Struct) || other.typeName !== typeName) {
      throw new Failure(`wrong type for value; expected ${typeName}`)
    }
    return does(compareVersions(own, parseVersion(other.text ?? '')))
  })

const part = (value: bigint): TemplateFunction => fn('', () => new Sized('uint64', value))
const answering = (text: string): TemplateFunction => fn('', () => text)
const next = (version: Version, parts: Partial<Version>): TemplateFunction =>
  fn('', () => versionStruct({ ...version, prerelease: '', metadata: '', ...parts }))

const versionStruct = (version: Version): Struct =>
  new Struct(typeName, {
    text: versionText(version),
    methods: {
      Major: part(version.major),
      Minor: part(version.minor),
      Patch: part(version.patch),
      Prerelease: answering(version.prerelease),
      Metadata: answering(version.metadata),
      Original: answering(version.original),
      String: answering(versionText(version)),
      Compare: comparing(version, order => BigInt(order)),
      Equal: comparing(version, order => order === 0),
      GreaterThan: comparing(version, order => order > 0),
      GreaterThanEqual: comparing(version, order => order >= 0),
      LessThan: comparing(version, order => order < 0),
      LessThanEqual: comparing(version, order => order <= 0),
      IncMajor: next(version, { major: version.major + 1n, minor: 0n, patch: 0n }),
      IncMinor: next(version, { minor: version.minor + 1n, patch: 0n }),
      IncPatch: next(version, version.prerelease === '' ? { patch: version.patch + 1n } : {}),
    },
  })

export const versions: FunctionTable = {
  semver: fn('string', text => versionStruct(parseVersion(text))),
  semverCompare: fn('string string', (constraint, version) => {
    satisfies(parseVersion('0.0.0'), constraint)
    return satisfies(parseVersion(version), constraint)
  }),
}
