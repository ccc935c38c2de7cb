// A table of all kubeconfig fields and what happens to each in a kubeconfig from a Secret, which others may write: it is used, or
// ignored because it only matters to people at a terminal, or refused because it would run a program, read a file or lead the
// connection elsewhere. A field without a row is refused.

export type FieldRule =
  | { is: 'text' | 'passedOver' }
  | { is: 'refused'; because: string }
  /** Allowed only with this value, which changes nothing. */
  | { is: 'only'; value: unknown; because: string }

export type FieldRules = Readonly<Record<string, FieldRule>>

const text: FieldRule = { is: 'text' }
const passedOver: FieldRule = { is: 'passedOver' }
const refused = (because: string): FieldRule => ({ is: 'refused', because })

const readsFile = refused('would read a file')
const runsProgram = refused('would run a program')
const impersonates = refused('would act in the name of another user')
const passwords = refused('is a way to sign in that API servers have given up')

export const clusterFields: FieldRules = {
  server: text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'certificate-authority': readsFile,
  'proxy-url': refused('would lead the connection through another host'),
  'insecure-skip-tls-verify': { is: 'only', value: false, because: 'would trust any server' },
  'disable-compression': passedOver,
  extensions: passedOver,
}

export const userFields: FieldRules = {
  token: text,
  'client-certificate-data': text,
  'client-key-data': text,
  tokenFile: readsFile,
  'client-certificate': readsFile,
  'client-key': readsFile,
  exec: runsProgram,
  'auth-provider': runsProgram,
  as: impersonates,
  'as-uid': impersonates,
  'as-groups': impersonates,
  'as-user-extra': impersonates,
  username: passwords,
  password: passwords,
  extensions: passedOver,
}

export const contextFields: FieldRules = {
  cluster: text,
  user: text,
  namespace: passedOver,
  extensions: passedOver,
}

export const fileFields: FieldRules = {
  apiVersion: { is: 'only', value: 'v1', because: 'is not a version of kubeconfigs that is known' },
  kind: { is: 'only', value: 'Config', because: 'is not a kubeconfig' },
  'current-context': text,
  preferences: passedOver,
  extensions: passedOver,
  // Lists of named entries, each checked by its own rules.
  clusters: passedOver,
  users: passedOver,
  contexts: passedOver,
}
