// Whether a component is fed by Secrets, and what is then told of what goes wrong: before any cluster is asked.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { ApiError, ConnectionError } from '../../../shared/kube/errors.ts'
import { RenderError } from '../../../shared/render/generator.ts'
import type { Referred } from '../../../shared/runtime/component/references/references.ts'
import {
  discreet,
  holdsSecrets,
  kubeconfigCredentials,
  secrecyOf,
  withoutRendered,
} from '../../../shared/runtime/component/references/secrecy.ts'
import { RendererBusy } from '../../../shared/runtime/renderer/renderer.ts'
import { throws } from '../../harness/matches.ts'

const canary = 'c4n4ry-of-these-tests'
const because = 'the message may quote a Secret and is left out'

const object = (kind: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a' },
  data: encodedTexts(data),
})

const text = (value: string, isSecret: boolean): Referred => ({ value, digest: '', isSecret })

t.test('RE-29 a component is confidential when one of its references is a Secret', async t => {
  t.strictSame(secrecyOf([]), { isConfidential: false, words: [] })
  t.strictSame(secrecyOf([text(canary, false)]), { isConfidential: false, words: [] })
  t.strictSame(secrecyOf([text('a: 1', true)]), { isConfidential: true, words: [] }, 'also one of short values')
  const whole = { value: object('Secret', { long: canary, short: 'abc' }), digest: '', isSecret: true }
  t.strictSame(secrecyOf([whole]), { isConfidential: true, words: [canary] })
})

t.test('RE-29 words are values of eight letters and more, not the names of fields', async t => {
  const words = (value: string) => secrecyOf([text(value, true)]).words
  t.strictSame(words('password: hunter2hunter2\n'), ['hunter2hunter2'])
  t.strictSame(words('{"password": "hunter2hunter2", "a": ["b", "correct horse-battery"]}'), [
    'hunter2hunter2',
    'horse-battery',
  ])
  t.strictSame(words('certificate: |\n  -----BEGIN KEY-----\n  MIIEvQIBADANBgkq\n'), [
    '-----BEGIN',
    'KEY-----',
    'MIIEvQIBADANBgkq',
  ])
  t.strictSame(words('a: same-same-same\nb: same-same-same\n'), ['same-same-same'])
  t.equal(words('x'.repeat(8).concat(' ').repeat(5_000)).length, 1)
  t.equal(words(Array.from({ length: 5_000 }, (_, n) => `word-number-${n}`).join(' ')).length, 1_000, 'not without end')
})

t.test('RE-29 what a values file remarks is none of its words, and takes no room from them', async t => {
  const words = (value: string) => secrecyOf([text(value, true)]).words
  t.strictSame(words('# Number of replicas\n  ## more about availability\r\n#\nreplicas: 3\n'), [])
  t.strictSame(words('password: "#hunter2hunter2"\n'), ['#hunter2hunter2'])
  const whole = { value: object('Secret', { password: '#hunter2hunter2' }), digest: '', isSecret: true }
  t.strictSame(secrecyOf([whole]).words, ['#hunter2hunter2'], 'a value that begins so is no remark')
  const long = 'repeated: same-same-same\n'.repeat(2_000)
  t.strictSame(words(`${long}password: ${canary}\n`), ['same-same-same', canary], 'each word counts once')
  const { secrecy, component } = {
    secrecy: secrecyOf([text('# until all replicas are available\na: 1\n', true)]),
    component: object('ConfigMap'),
  }
  const sentence = 'Waiting for: Deployment shop/web: 1 of 2 replicas are available'
  t.equal(discreet(sentence, { secrecy, component }), sentence)
})

t.test('RE-62 in a text of several lines a line with # is no remark', async t => {
  const words = (value: string) => secrecyOf([text(value, true)]).words
  for (const opening of ['config: |', '- config: >-', 'config: |2 # of the shop', 'config: | # shop\r', '- |'])
    t.strictSame(
      words(`a:\n  ${opening}\n      # token ${canary}\n\n      # another1\n  # remarked\nb: 1\n  # remarked\n`),
      [canary, 'another1'],
      opening,
    )
})

t.test('RE-29 credentials of a kubeconfig are words too, its names and hosts are not', async t => {
  const yaml =
    'clusters: [{name: far-far-away, cluster: {server: https://api.example.com}}]\nusers:\n- user:\n    token: c4n4ry-token\n'
  t.strictSame(kubeconfigCredentials(yaml), ['c4n4ry-token'])
  t.strictSame(kubeconfigCredentials(JSON.stringify({ users: [{ user: { 'client-key-data': 'c4n4rykeydata' } }] })), [
    'c4n4rykeydata',
  ])
  t.strictSame(kubeconfigCredentials('user: {username: jane-the-admin, password: "c4n4rypassword"}'), [
    'c4n4rypassword',
  ])
  t.strictSame(kubeconfigCredentials('token: short'), [], 'shorter ones are said by chance')
})

t.test('RE-29 a sentence with a word of a Secret that is nowhere in the component is left out', async t => {
  const component = {
    ...object('Component'),
    spec: { values: { host: 'shop.example.com' } },
    status: { inventory: [{ name: 'kept-by-name' }] },
  }
  const subject = { component, secrecy: secrecyOf([text(`${canary} shop.example.com kept-by-name`, true)]) }
  const left = 'The message quotes a Secret and is left out'
  t.equal(discreet(`Waiting for: Nut a: ${canary} is no name`, subject), left)
  for (const sentence of ['Waiting for: Nut a', 'No route to shop.example.com', 'Waiting for: Nut kept-by-name'])
    t.equal(discreet(sentence, subject), sentence)
  t.equal(discreet(`${canary} shop.example.com`, subject), left)
})

t.test('RE-29 Secrets among what was looked up', async t => {
  t.notOk(holdsSecrets(new Map()))
  t.notOk(
    holdsSecrets(
      new Map<string, KubeObject | KubeObject[] | undefined>([
        ['a', undefined],
        ['b', object('ConfigMap')],
        ['c', []],
      ]),
    ),
  )
  t.ok(holdsSecrets(new Map([['a', object('Secret')]])))
  t.ok(holdsSecrets(new Map([['a', [object('ConfigMap'), object('Secret')]]])))
})

t.test('RE-29 of what a rendering threw its kind stays and its words go', async t => {
  const blame = { kind: 'yaml', rendered: 'chart', file: 'shop/templates/a.yaml', line: 3 } as const
  const toldOf = (error: unknown): unknown => withoutRendered(error)
  const rows: [error: Error, message: string][] = [
    [
      new RenderError(canary, { blame }),
      `the chart cannot be rendered: shop/templates/a.yaml, line 3: results in invalid YAML; ${because}`,
    ],
    [new RenderError(canary), `cannot be rendered; ${because}`],
    [new RenderError('Chart.yaml is missing', { quotesNoValues: true }), 'Chart.yaml is missing'],
    [new ConnectionError('silent', 'A_CODE', `GET /${canary}`), `a lookup failed (A_CODE); ${because}`],
    [
      new ApiError({ code: 400, reason: 'BadRequest', message: canary }),
      'the API server answered 400 BadRequest; its message may quote a Secret and is left out',
    ],
    [new TypeError(canary), `rendering failed with an internal error (TypeError); ${because}`],
    [new RendererBusy(3), 'other renderings use all renderer processes'],
  ]
  for (const [error, message] of rows)
    throws(
      t,
      () => {
        throw toldOf(error)
      },
      { name: error instanceof TypeError ? 'Error' : error.name, message },
      message,
    )
  const silent = toldOf(new ConnectionError('silent', 'A_CODE', canary))
  t.ok(silent instanceof ConnectionError && silent.loss === 'silent', 'whether it will be retried does not change')
})
