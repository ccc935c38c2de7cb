// Which test files share a process: a few neighbours of one folder. A process of its own costs a file a quarter of a second before its
// first test, and then reads, checks and compiles anew what its neighbours have already. Pure.

export type Room = { readonly name: string; readonly files: readonly string[] }

/** What takes long comes first, so that no processor is left with it at the end: tap takes files by their names. */
const folders = ['stories', 'shared', 'functions', 'http', 'conformance', 'harness']
const mostFiles = 10

const alone = [
  // They move the clock of their process, and timers of connections that outlive them would wait until it is so late again.
  'tests/shared/kube/limits.test.ts',
  'tests/stories/purge.test.ts',
  // It sends 500 bodies at once and looks at what else is answered meanwhile: it must not be slowed by what its neighbours left.
  'tests/http/attacks.test.ts',
]

/** No file is in two rooms; those that are to have a process of their own, such as the faults, are in none. */
export const roomsOf = (files: readonly string[]): Room[] => {
  const together = files.filter(file => !alone.includes(file)).toSorted()
  return folders.flatMap(folder =>
    shares(
      folder,
      together.filter(file => file.startsWith(`tests/${folder}/`)),
    ),
  )
}

const shares = (folder: string, files: readonly string[]): Room[] => {
  const count = Math.ceil(files.length / mostFiles)
  const size = Math.ceil(files.length / count)
  return Array.from({ length: count }, (_, at) => ({
    name: `${folders.indexOf(folder)}-${folder}-${at + 1}`,
    files: files.slice(at * size, (at + 1) * size),
  }))
}
