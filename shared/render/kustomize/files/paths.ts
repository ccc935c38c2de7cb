// Paths within an artifact, as text.

/** `a//./b/../c` is a/c; what leads upwards in the end begins with `..`. */
export const cleanPath = (path: string): string => {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}

/** Whether a clean path leads out of the folder it begins in. */
export const leadsUp = (path: string): boolean => path === '..' || path.startsWith('../')

/** '' is the root of the artifact. */
export const joined = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`)

/** Whether a file or folder lies in a folder, at any depth. */
export const isBelow = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`)
