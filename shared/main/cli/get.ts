// `espalier get`: all objects of our kinds and their states, objects in trouble first.

import { ourKinds } from '../../api/our-kinds.ts'
import { refText } from '../../core/objects/object.ts'
import { ageText, byTrouble, isInTrouble, type ObjectState, stateOf } from '../../runtime/why/explanation.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { type Command, type Given, shownAs, UsageFault } from './command.ts'
import { kindCalled, objectsOfKinds } from './kinds.ts'
import { reads } from './reading-process.ts'

export const getCommand: Command = {
  name: 'get',
  usage: '[KIND]',
  sentence: 'Lists Components, Gardens, Istios, Kymas, Manifests and Watchers with their state, failed objects first.',
  options: { 'not-ready': { type: 'boolean', sentence: 'Only objects that are not ready' } },
  examples: ['espalier get --not-ready', 'espalier get components -n shop'],
  run: async given => {
    const states = (await statesOf(given)).filter(
      ({ is }) => given.options['not-ready'] === undefined || is !== 'ready',
    )
    const code = states.some(isInTrouble) ? 1 : 0
    return { text: shownAs(given.options.output, states, () => table(states, new Date())), code }
  },
}

type State = Pick<ObjectState, 'is' | 'since' | 'says'> & { readonly object: string }

const statesOf = ({ options, words }: Given): Promise<State[]> => {
  const [word, ...others] = words
  if (others.length > 0)
    throw new UsageFault(
      `expected one KIND at most, found ${words.join(' ')}; for one object, use espalier why KIND NAME`,
    )
  const only = word === undefined ? undefined : kindCalled(word, [...ourKinds])
  return reads(options, async reading => {
    // Rejects if the cluster does not serve the requested kind.
    if (only) await reading.namespaceOf(only)
    const objects = await objectsOfKinds(reading.local, only ? [only] : ourKinds, options.namespace)
    return objects
      .map(object => stateOf(object, new Date()))
      .sort(byTrouble)
      .map(({ ref, waitsFor: _, ...state }) => ({ object: refText(ref), ...state }))
  })
}

const table = (states: readonly State[], now: Date): string => {
  if (states.length === 0) return 'nothing found'
  return states
    .flatMap(({ object, is, since, says: [sentence] }) => [
      `${is.padEnd(10)}${(since ? ageText(since, now) : '').padEnd(9)}${object}`,
      ...(is === 'ready' || !sentence ? [] : [wrapped(`${' '.repeat(19)}${sentence}`, 19, columns)]),
    ])
    .join('\n')
}
