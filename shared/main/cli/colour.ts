// Colours states in the text of a command, for terminals. Pure.
import { styleText } from 'node:util'

const styles = {
  failed: 'red',
  fault: 'red',
  missing: 'red',
  unknown: 'red',
  deleting: 'yellow',
  waiting: 'yellow',
  warning: 'yellow',
  suspended: 'cyan',
  ready: 'green',
  ok: 'green',
} as const satisfies Readonly<Record<string, Parameters<typeof styleText>[0]>>

/** A state at the beginning of a line, or after a colon. Example: `Pod shop/a: failed for 2m` */
const state = new RegExp(`(^|: )(${Object.keys(styles).join('|')})(?= |$)`, 'gm')

export const coloured = (text: string): string =>
  text.replace(
    state,
    (_, before: string, word: keyof typeof styles) =>
      `${before}${styleText(styles[word], word, { validateStream: false })}`,
  )
