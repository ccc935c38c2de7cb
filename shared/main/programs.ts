// The programs that the command `espalier` starts in a folder with a serverless.yml. `--help` explains the flags of each program.
type ProgramRow = {
  readonly name: string
  readonly sentence: string
  readonly load: () => Promise<unknown>
}

export const programRows: readonly ProgramRow[] = [
  {
    name: 'init',
    sentence: 'Writes an operator into a new folder, or adds a function to the one here',
    load: () => import('./own/init.ts'),
  },
  {
    name: 'start',
    sentence: 'Runs the functions here on an API server in this process, with the samples',
    load: () => import('./start.ts'),
  },
  {
    name: 'dev',
    sentence: 'Like start, and restarts when a file is saved; objects stay',
    load: () => import('./own/dev.ts'),
  },
  {
    name: 'test',
    sentence: "Runs the tests here with Node's test runner",
    load: () => import('./own/test.ts'),
  },
  {
    name: 'generate',
    sentence: 'Writes manifests/: definitions, roles, Deployments, webhook configurations',
    load: () => import('./own/generate.ts'),
  },
  {
    name: 'build',
    sentence: 'Writes dist/: the programs host and relay with the functions here, for an image',
    load: () => import('./own/build.ts'),
  },
  { name: 'host', sentence: 'Serves functions over HTTP, as in a cluster', load: () => import('./host.ts') },
  {
    name: 'relay',
    sentence: 'Watches API servers and the clock, and calls functions',
    load: () => import('./relay.ts'),
  },
]
