// `espalier init`: writes an operator into a new folder, or adds a function to the operator in this folder. The files come from templates/,
// with the names of the example replaced.
import { appendFileSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import manifest from '../../../package.json' with { type: 'json' }
import { groupResourceOf } from '../../core/objects/object.ts'
import { writeText } from '../../deploy/manifests/manifest-files.ts'
import { builtLandscape } from '../built-landscape.ts'
import { beginOwn } from '../cli/command.ts'
import { landscapeIn } from '../landscape.ts'

/** The kinds of functions to create, and their folders in templates/. */
const kindsOfFunction: Readonly<Record<string, { readonly says: string; readonly folders: readonly string[] }>> = {
  chart: { says: 'the objects of a Helm chart', folders: ['component', 'chart'] },
  kustomization: { says: 'the objects of a kustomization', folders: ['component', 'kustomization'] },
  generator: { says: 'objects that your code makes', folders: ['component', 'generator'] },
  reconcile: { says: 'steps that your code decides', folders: ['reconcile'] },
  admission: { says: 'nothing: it checks objects and refuses invalid ones', folders: ['admission'] },
}

const usage = `espalier init NAME [--makes WHAT] [--kind Website] [--group example.org] [--remote]
espalier init function NAME [--makes WHAT] [--kind Website] [--group example.org] [--remote]

Writes an operator into the new folder NAME, or adds the function NAME to the operator in this folder.
On a terminal it asks for missing flags.

  --makes WHAT   what the function makes for an object of its kind:
${Object.entries(kindsOfFunction)
  .map(([name, { says }]) => `                   ${name.padEnd(14)} ${says}`)
  .join('\n')}
  --kind KIND    the kind; Website when absent, for an added function its name as a kind
  --group GROUP  the API group of the kind; example.org when absent
  --remote       its objects may be in another cluster, to which a kubeconfig in a Secret leads; for a chart, kustomization or generator
`

const options = {
  makes: { type: 'string' },
  kind: { type: 'string' },
  group: { type: 'string' },
  remote: { type: 'boolean' },
} as const

type Answers = { readonly makes: string; readonly kind: string; readonly group: string; readonly isRemote: boolean }

const init = async ({ values, positionals }: { values: Given; positionals: readonly string[] }): Promise<void> => {
  const isFunction = positionals[0] === 'function'
  const [name, ...others] = isFunction ? positionals.slice(1) : positionals
  if (name === undefined || others.length > 0) throw new Error(`expected one NAME; see espalier init --help`)
  refuseUnless(
    name,
    /^[a-z][-a-z0-9]{0,48}[a-z0-9]$/,
    'NAME',
    '2 to 50 lower-case letters, digits and dashes, such as my-operator',
  )
  const answers = await answered(values, {
    makes: 'generator',
    kind: isFunction ? pascal(name) : 'Website',
    group: 'example.org',
    isRemote: false,
  })
  if (isFunction) await addFunction(process.cwd(), name, answers)
  else makeOperator(name, answers)
}

const makeOperator = (name: string, answers: Answers): void => {
  if (existsSync(name)) throw new Error(`${name} already exists: choose another name, or remove it`)
  const words = wordsOf({ ...answers, operator: name, name: kebab(answers.kind) })
  const textOf = (file: string): string => replaced(readFileSync(join(templates, file), 'utf8'), words)
  copyTemplate('base', name, { words, textOf })
  writeFileSync(join(name, 'package.json'), `${JSON.stringify(packageOf(name), null, 2)}\n`)
  copyFunction(name, answers, words)
  say(
    `Created ${name}. Next:\n\n  cd ${name}\n  npm install\n  npm start    # on an API server in this process\n  npm test\n`,
  )
}

const addFunction = async (folder: string, name: string, answers: Answers): Promise<void> => {
  const landscape = await landscapeIn(folder)
  if (name in landscape.functions) throw new Error(`function ${name} already exists`)
  copyFunction(folder, answers, wordsOf({ ...answers, operator: landscape.service, name }))
  say(`Created functions/${name} and added it to serverless.yml.\n`)
}

const packageOf = (name: string): object => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: '>=24' },
  scripts: {
    start: 'espalier start',
    dev: 'espalier dev',
    build: 'espalier build',
    generate: 'espalier generate',
    test: 'espalier test',
  },
  dependencies: { espalier: `^${manifest.version}` },
  devDependencies: { esbuild: `^${manifest.devDependencies.esbuild}` },
})

type Words = Readonly<Record<string, string>>

/** The words of the example, and their replacements. */
const wordsOf = ({
  operator,
  name,
  kind,
  group,
}: Omit<Answers, 'makes'> & { operator: string; name: string }): Words => ({
  'my-operator': operator,
  'example.org': group,
  websiteFunction: `${camel(name)}Function`,
  websites: groupResourceOf({ apiVersion: group, kind }).resource,
  website: name,
  Website: kind,
})

const templates = builtLandscape
  ? join(import.meta.dirname, 'templates')
  : join(import.meta.dirname, '..', '..', '..', 'templates')

/**
 * The final names of template files. With the final names, npm would omit the templates from a package, or read them itself. Tests in templates are
 * called `story`, because publint treats files named `test` as tests of the package.
 */
const renamed: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  dockerignore: '.dockerignore',
  'ci.yml': '.github/workflows/ci.yml',
}

const copyFunction = (folder: string, { makes, isRemote }: Answers, words: Words): void => {
  const { folders = [] } = kindsOfFunction[makes] ?? {}
  const textOf = (file: string): string =>
    replaced(chosenLines(readFileSync(join(templates, file), 'utf8'), isRemote), words)
  for (const template of [...folders, ...(isRemote ? ['remote'] : [])])
    copyTemplate(template, folder, { words, textOf })
  appendFileSync(join(folder, 'serverless.yml'), textOf(join(folders[0] ?? '', 'function.yml')))
}

/** Omits lines with the comment `--remote`, unless the function's objects may be in other clusters. */
const chosenLines = (text: string, isRemote: boolean): string =>
  text.replaceAll(/^(.*?) *(?:\/\/|#) --remote\n/gm, (_, line: string) => (isRemote ? `${line}\n` : ''))

type Replacing = { readonly words: Words; readonly textOf: (file: string) => string }

/** Does not overwrite an existing file. */
const copyTemplate = (template: string, folder: string, { words, textOf }: Replacing): void => {
  for (const file of globSync('**/*.*', { cwd: join(templates, template) }).concat(plainFiles(template))) {
    if (file === 'function.yml') continue
    const to = join(folder, replaced((renamed[file] ?? file).replace('.story.', '.test.'), words))
    if (existsSync(to)) continue
    writeText(to, textOf(join(template, file)))
  }
}

const plainFiles = (template: string): string[] =>
  ['Dockerfile', ...Object.keys(renamed)].filter(file => existsSync(join(templates, template, file)))

const replaced = (text: string, words: Words): string =>
  text.replaceAll(/my-operator|example\.org|websiteFunction|websites|website|Website/g, word => words[word] ?? word)

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const camel = (name: string): string => pascal(name).replace(/^./, letter => letter.toLowerCase())
const kebab = (kind: string): string => kind.replaceAll(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase()

type Given = Partial<Omit<Answers, 'isRemote'>> & { readonly remote?: boolean }

const answered = async (given: Given, otherwise: Answers): Promise<Answers> => {
  const makes =
    given.makes ??
    (await asked(`What does the function create? ${Object.keys(kindsOfFunction).join(', ')}`, otherwise.makes))
  if (!kindsOfFunction[makes])
    throw new Error(`--makes is ${makes}: expected one of ${Object.keys(kindsOfFunction).join(', ')}`)
  const kind = given.kind ?? (await asked('The kind?', otherwise.kind))
  refuseUnless(kind, /^[A-Z][A-Za-z0-9]*$/, '--kind', 'a name that begins with a capital, such as Website')
  const group = given.group ?? (await asked('The API group of the kind?', otherwise.group))
  refuseUnless(
    group,
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
    '--group',
    'a DNS name such as example.org',
  )
  const canBeRemote = kindsOfFunction[makes].folders.includes('component')
  if (given.remote && !canBeRemote)
    throw new Error(`--remote is for a chart, kustomization or generator, not for ${makes}`)
  const isRemote =
    given.remote ?? (canBeRemote && (await asked('May its objects be in other clusters? yes, no', 'no')) === 'yes')
  return { makes, kind, group, isRemote }
}

/** Returns the default if there is no terminal. */
const asked = async (question: string, otherwise: string): Promise<string> => {
  if (!process.stdin.isTTY) return otherwise
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = (await lines.question(`${question} [${otherwise}] `)).trim()
  lines.close()
  return answer === '' ? otherwise : answer
}

const refuseUnless = (value: string, pattern: RegExp, name: string, expected: string): void => {
  if (!pattern.test(value)) throw new Error(`${name} is ${value}: expected ${expected}`)
}

const say = (text: string): void => {
  process.stdout.write(text)
}

await beginOwn({ name: 'init', usage, options, allowPositionals: true, faultCode: 2, run: init })
