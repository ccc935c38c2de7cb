// What a file of an artifact may be called. Names come from whoever packed it: they name a place below its root or they
// are refused; nothing is bent into shape.

/** Why this is no path below the root, as the end of a sentence; undefined when it is one. */
export const pathFault = (name: string): string | undefined => refusals.find(({ applies }) => applies(name))?.says

/** The path without `./` and doubled slashes; '' for the root itself. */
export const plainPath = (name: string): string => name.split('/').filter(isStep).join('/')

const isStep = (part: string): boolean => part !== '' && part !== '.'

const lengthMost = 1024

const refusals: readonly { applies: (name: string) => boolean; says: string }[] = [
  { applies: name => name.startsWith('/') || /^[A-Za-z]:/.test(name), says: 'is an absolute path' },
  { applies: name => name.split('/').includes('..'), says: 'leads out of the artifact' },
  { applies: name => name.includes('\\') || name.includes('\0'), says: 'has a character that no path has' },
  { applies: name => name.length > lengthMost, says: `is longer than ${lengthMost} characters` },
]
