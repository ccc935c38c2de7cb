// A made-up garden that is planted step by step: soil before trees, trees before fruit, and a fence where there are deer.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/object.ts'
import { type FlowStep, flowFaults, flowProgress } from '../../../shared/core/steps.ts'

/** `ready`: what was planted and has grown. */
type Orchard = { readonly ready: readonly string[]; readonly hasDeer?: boolean }

const plant = (name: string): KubeObject => ({ apiVersion: 'example.org/v1', kind: 'Plant', metadata: { name } })

const growing =
  (...names: readonly string[]) =>
  ({ ready }: Orchard): string[] =>
    names.filter(name => !ready.includes(name)).map(name => `Plant ${name}: does not grow yet`)

const steps: readonly FlowStep<Orchard>[] = [
  { name: 'soil', needs: [], objects: () => [plant('clover')], waits: growing('clover') },
  {
    name: 'fence',
    needs: [],
    skipIf: ({ hasDeer }) => !hasDeer,
    objects: () => [plant('thorn')],
    waits: growing('thorn'),
  },
  {
    name: 'trees',
    needs: ['soil', 'fence'],
    objects: () => [plant('apple'), plant('pear')],
    waits: growing('apple', 'pear'),
  },
  { name: 'bees', needs: ['soil'], objects: () => [plant('heather')], waits: growing('heather') },
  { name: 'fruit', needs: ['trees', 'bees'], objects: () => [], waits: () => [] },
]

const namesOf = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name)

const shown = (orchard: Partial<Orchard>) => {
  const { objects, percent, text } = flowProgress(steps, { ready: [], ...orchard })
  return { objects: namesOf(objects), percent, text }
}

t.test('a step begins when the steps it needs are ready, and others go on beside one that waits', async t => {
  t.strictSame(shown({}), { objects: ['clover'], percent: 0, text: 'Waiting for Plant clover: does not grow yet' })
  t.strictSame(shown({ ready: ['clover', 'heather', 'pear'] }), {
    objects: ['clover', 'apple', 'pear', 'heather'],
    percent: 50,
    text: 'Waiting for Plant apple: does not grow yet',
  })
  t.strictSame(shown({ ready: ['clover'] }).text?.split('; ').length, 3, 'each wait is told')
})

t.test('a step that is skipped does not count, and nobody waits for it', async t => {
  t.strictSame(shown({ hasDeer: true, ready: ['clover'] }), {
    objects: ['clover', 'thorn', 'heather'],
    percent: 20,
    text: 'Waiting for Plant thorn: does not grow yet; Plant heather: does not grow yet',
  })
  t.strictSame(shown({ hasDeer: true, ready: ['clover', 'thorn', 'heather'] }).percent, 60)
})

t.test('all is ready only at a hundred per cent; what is undone is done again', async t => {
  const ready = ['clover', 'apple', 'pear', 'heather']
  t.strictSame(shown({ ready }), { objects: ready, percent: 100, text: undefined })
  t.equal(flowProgress(steps.slice(0, 0), { ready: [] }).percent, 100)
  t.equal(flowProgress(steps.slice(0, 4), { ready: ['clover', 'heather'] }).percent, 66)
  const withered = ready.filter(name => name !== 'clover')
  t.strictSame(shown({ ready: withered }), {
    objects: ['clover'],
    percent: 0,
    text: 'Waiting for Plant clover: does not grow yet',
  })
})

t.test('an orchard settles from every state, and begins no step before those it needs', async t => {
  const all = ['clover', 'thorn', 'apple', 'pear', 'heather']
  for (let state = 0; state < 2 ** (all.length + 1); state++) {
    const hasDeer = state >= 2 ** all.length
    let ready = all.filter((_, at) => (state >> at) % 2 === 1)
    for (const _ of steps) {
      const planted = namesOf(flowProgress(steps, { ready, hasDeer }).objects)
      const needed = planted.includes('apple') ? ['clover', ...(hasDeer ? ['thorn'] : [])] : []
      if (!needed.every(name => ready.includes(name))) t.fail('trees before what they need', { ready, hasDeer })
      ready = planted
    }
    const { percent, text } = flowProgress(steps, { ready, hasDeer })
    t.strictSame(
      { percent, text, hasFence: ready.includes('thorn') },
      { percent: 100, text: undefined, hasFence: hasDeer },
    )
  }
})

t.test('a table is refused where a step could never begin', async t => {
  t.strictSame(flowFaults(steps), [])
  t.strictSame(
    flowFaults([
      { name: 'soil', needs: ['trees'] },
      { name: 'trees', needs: ['soil', 'rain'] },
      { name: 'soil', needs: [] },
    ]),
    [
      'soil needs trees, which is no step above it',
      'trees needs rain, which is no step above it',
      'soil stands there twice',
    ],
  )
})
