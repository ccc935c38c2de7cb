// The expressions of our dashboards and alert rules, as the parser of Prometheus reads them.
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { promqlProgram } from '../harness/control-plane/binaries.ts'
import { expressions, type Matcher, selectorsIn } from '../harness/monitoring.ts'

type Parsed = { readonly error?: string; readonly selectors: readonly Matcher[][] | null }

const parsed = (texts: readonly string[]): Parsed[] =>
  execFileSync(promqlProgram(), { input: texts.map(text => `${text}\n`).join(''), encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

t.test('SEE-20 Prometheus reads every expression and finds the same selectors as the small parser of our tests', t => {
  const all = Object.entries(expressions())
  const answers = parsed(all.map(([, text]) => text))
  t.equal(answers.length, all.length)
  for (const [index, [name, text]] of all.entries())
    t.strictSame(answers[index], { selectors: selectorsIn(text) }, name)
  const [wrong] = parsed(['rate(lifecycle_mgr_requeue_reason_total)[5m]'])
  t.ok(wrong?.error, 'a wrong expression is noticed')
  t.end()
})
