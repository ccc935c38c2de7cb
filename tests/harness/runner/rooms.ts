// Which test files share a process: some of one folder. A process of its own costs a file a second before its first test, and then it reads,
// checks and compiles anew what others have already. Pure.

/** The files, in the order in which they run. */
export type Room = readonly string[]

/** The tests that need Node and nothing else. */
export const unitTests = [
  'tests/*.test.ts',
  'tests/{functions,harness,shared,http,conformance,faults,stories}/**/*.test.ts',
]

/**
 * How many files of a folder share a room at most. What takes long comes first, so that no processor is left with it at the end; faults wait
 * most of their time, beside who computes.
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
  // They move the clock of their process, and timers of connections that outlive them would wait until it is so late again.
  'tests/http/console/access.test.ts',
  'tests/shared/kube/limits.test.ts',
  'tests/stories/kyma/purge.test.ts',
  // It sends 500 bodies at once and looks at what else is answered meanwhile: it must not be slowed by what its neighbours left.
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

/** As many in each room as in the others, and neighbours in different ones: what takes long has neighbours that take long. */
const shares = (files: readonly string[], mostFiles: number): Room[] => {
  const count = Math.ceil(files.length / mostFiles)
  const sorted = files.toSorted()
  return Array.from({ length: count }, (_, at) => sorted.filter((_, index) => index % count === at))
}
