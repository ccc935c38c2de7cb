// Checks the paths of files in an artifact. They come from whoever packed it: a path that leads out of its root is refused,
// never corrected.
import { checks } from '../../core/decisions/checks.ts'

const lengthMost = 1024

/** Why this is no path below the root, as the end of a sentence; undefined when it is one. */
export const pathFault = checks(
  (name: string) => name.length > lengthMost && `is longer than ${lengthMost} characters`,
  name => (name.startsWith('/') || /^[A-Za-z]:/.test(name)) && 'is an absolute path',
  name => name.split('/').includes('..') && 'leads out of the artifact',
  name => (name.includes('\\') || name.includes('\0')) && 'has a character that no path has',
)

/** The path without `./` and doubled slashes; '' for the root itself. */
export const plainPath = (name: string): string => name.split('/').filter(isStep).join('/')

const isStep = (part: string): boolean => part !== '' && part !== '.'
