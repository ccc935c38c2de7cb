// Which test files of a folder share a process. A process costs a second before its first test, and then it reads, checks and compiles again what
// other processes have already. Pure.

/** The files, in the order in which they run. */
export type Room = readonly string[]

/** The tests that need Node and nothing else. */
export const unitTests = [
  'tests/*.test.ts',
  'tests/{functions,harness,shared,http,conformance,faults,stories}/**/*.test.ts',
]

/**
 * The maximum number of files of a folder in a room. Slow folders come first, so that no processor is left alone with them at the end. Faults mostly
 * wait, beside rooms that compute.
 */
const folders: readonly [folder: string, mostFiles: number][] = [
  ['faults/', 6],
  ['stories/', 12],
  ['http/', 12],
  ['shared/', 12],
  ['functions/', 17],
  ['conformance/', 12],
  ['harness/', 12],
  ['', 12],
]

const alone = [
  // These move the clock of their process. Timers of connections that outlive them would wait until that time comes again.
  'tests/http/console/access.test.ts',
  'tests/shared/kube/limits.test.ts',
  'tests/stories/kyma/purge.test.ts',
  // This sends 500 bodies at once and checks what else is answered meanwhile. Remains of its neighbours must not slow it down.
  'tests/http/attacks.test.ts',
]

/** Each file is in one room. */
export const roomsOf = (files: readonly string[]): Room[] => {
  const isAlone = (file: string): boolean => alone.includes(file)
  const together = Map.groupBy(
    files.filter(file => !isAlone(file)),
    file => folders.find(([folder]) => file.startsWith(`tests/${folder}`)),
  )
  return [
    ...folders.flatMap(one => shares(together.get(one) ?? [], one[1])),
    ...files.filter(isAlone).map(file => [file]),
  ]
}

/** Rooms of equal size, with neighbouring files in different rooms, because slow files have slow neighbours. */
const shares = (files: readonly string[], mostFiles: number): Room[] => {
  const count = Math.ceil(files.length / mostFiles)
  const sorted = files.toSorted()
  return Array.from({ length: count }, (_, at) => sorted.filter((_, index) => index % count === at))
}
