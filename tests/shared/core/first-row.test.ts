import t from 'tap'
import { firstRow } from '../../../shared/core/decisions/checks.ts'
import { throws } from '../../harness/matches.ts'

const rows = [
  { when: (code: number) => code === 404, says: 'is not there' },
  { when: (code: number, isPatient: boolean) => code >= 500 && !isPatient, says: 'is in trouble' },
  { when: (code: number) => code >= 400, says: 'refuses' },
]

t.test('of the rows that apply the first counts', async t => {
  t.equal(firstRow(rows, 404, false).says, 'is not there')
  t.equal(firstRow(rows, 503, false).says, 'is in trouble')
  t.equal(firstRow(rows, 503, true).says, 'refuses')
})

t.test('a table of which no row applies is a defect', async t => {
  throws(t, () => firstRow(rows, 200, false), new TypeError('no row of the table applies'))
})
