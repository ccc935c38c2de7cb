// The checker of rows, shown on small pages and TAP: a checker that cannot say no proves nothing.
import t from 'tap'
import { throws } from './harness/matches.ts'
import { behaviourRows } from './harness/runner/behaviour.ts'
import { carriesOneOf, judgedRows, marked, rowsOf } from './harness/runner/rows.ts'

const none = { unit: '', cluster: '', figures: '' }

t.test('a row is proved by a test that passed, and by nothing else', async t => {
  const rows = rowsOf(['| ID | Given |\n|---|---|\n| CO-01 | x | y |\n|CO-02|x|y|\n| CO-03 | see CO-04 |'])
  t.strictSame(
    rows.map(({ id }) => id),
    ['CO-01', 'CO-02', 'CO-03'],
  )
  const unit = ['ok 1 - CO-01 a', '    not ok 2 - CO-02 b', 'ok 3 - CO-02 c', 'ok 4 - CO-03 d # SKIP', 'ok 5 - CO-09 e']
  t.strictSame(judgedRows(rows, { ...none, unit: unit.join('\n') }), {
    proved: ['CO-01'],
    open: ['CO-02', 'CO-03'],
    later: [],
    missed: [],
    failed: ['CO-02'],
    unknown: ['CO-09'],
  })
})

t.test('a row marked K wants a test on the real control plane', async t => {
  const rows = rowsOf(['| RE-01 K | x | y |'])
  t.strictSame(judgedRows(rows, { ...none, unit: 'ok 1 - RE-01 a' }).open, ['RE-01'])
  t.strictSame(judgedRows(rows, { ...none, cluster: 'ok 1 - RE-01 a' }).proved, ['RE-01'])
  t.strictSame(judgedRows(rows, { ...none, unit: 'not ok 1 - RE-01 a', cluster: 'ok 1 - RE-01 a' }).proved, [])
})

t.test('a row marked as a figure wants a line of the results, not a test', async t => {
  const rows = rowsOf(['| FN-13 figure | x | y |'])
  const [met, missed] = ['- met: FN-13 a — 1 ms', '- **missed**: FN-13 b — 2 ms']
  t.strictSame(judgedRows(rows, { ...none, unit: 'ok 1 - FN-13 a' }).open, ['FN-13'])
  t.strictSame(judgedRows(rows, { ...none, figures: met }).proved, ['FN-13'])
  t.strictSame(judgedRows(rows, { ...none, figures: `${met}\n${missed}` }).failed, ['FN-13'])
})

t.test('a row with two marks wants both proofs', async t => {
  const rows = rowsOf(['| RE-28 K figure | x | y |'])
  const [test, figure] = [{ cluster: 'ok 1 - RE-28 a' }, { figures: '- met: RE-28 a — 1 ms' }]
  t.strictSame(judgedRows(rows, { ...none, ...test }).open, ['RE-28'])
  t.strictSame(judgedRows(rows, { ...none, ...figure }).open, ['RE-28'])
  t.strictSame(judgedRows(rows, { ...none, ...test, ...figure }).proved, ['RE-28'])
})

t.test('a row marked as later is owed by nobody, and counts once it is proved', async t => {
  const rows = rowsOf(['| KY-01 later | x | y |'])
  t.strictSame(judgedRows(rows, none), { proved: [], open: [], later: ['KY-01'], missed: [], failed: [], unknown: [] })
  t.strictSame(judgedRows(rows, { ...none, unit: 'ok 1 - KY-01 a' }).proved, ['KY-01'])
})

t.test('a figure marked as missed is no failure once it was measured, and counts where it is met', async t => {
  const rows = rowsOf(['| KY-02 figure missed | x |'])
  t.strictSame(judgedRows(rows, { ...none, unit: 'ok 1 - KY-02 half of it' }).open, ['KY-02'], 'nobody measured it')
  const measured = { ...none, figures: '- **missed**: KY-02 5 s' }
  const missed = { proved: [], open: [], later: [], missed: ['KY-02'], failed: [], unknown: [] }
  t.strictSame(judgedRows(rows, measured), missed)
  t.strictSame(judgedRows(rows, { ...measured, unit: 'not ok 1 - KY-02 half of it' }).failed, ['KY-02'])
  t.strictSame(judgedRows(rows, { ...none, figures: '- met: KY-02 5 s' }).proved, ['KY-02'])
})

t.test('a figure that was missed fails, too, where no row has its ID, or the row has no mark figure', async t => {
  const rows = rowsOf(['| KY-02 figure missed | x |', '| KY-03 | x |', '| KY-04 missed | x |', '| KY-06 | x |'])
  const judged = (...ids: string[]) => {
    const figures = ids.map(id => `- **missed**: ${id} 5 s`).join('\n')
    return judgedRows(rows, { ...none, figures, unit: 'ok 1 - KY-03 a\nnot ok 2 - KY-06 b' })
  }
  t.strictSame(judged('KY-02').failed, ['KY-06'])
  t.strictSame(judged('KY-02', 'KY-03', 'KY-04', 'KY-05', 'KY-06').failed, ['KY-06', 'KY-03', 'KY-04', 'KY-05'])
  t.strictSame(judgedRows(rows, { ...none, figures: '- met: KY-03 5 s' }).failed, [], 'a figure more is no failure')
})

t.test('pages that cannot be judged are refused', async t => {
  throws(t, () => rowsOf(['| CO-01 soon | x |']), {
    message: 'CO-01 has the mark "soon": only K, figure, missed, later are known',
  })
  throws(t, () => rowsOf(['| CO-01 | x |', '| CO-01 | y |']), { message: 'CO-01 stands in two rows' })
})

t.test('what the real control plane is to prove is known by the marks of rows', t => {
  const ids = marked(rowsOf(['| RE-01 K | x |', '| RE-04 | x |', '| RE-08 K later | x |']), 'K')
  t.strictSame([...ids], ['RE-01', 'RE-08'])
  t.equal(carriesOneOf('CO-01 RE-08 a watch', ids), true)
  t.equal(carriesOneOf('RE-04 RE-011 a watch', ids), false)
  t.end()
})

t.test('the pages of the project can be judged', async t => {
  const rows = behaviourRows()
  t.ok(rows.length > 500, `${rows.length} rows`)
})
