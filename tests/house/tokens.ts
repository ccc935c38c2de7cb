// TypeScript text as tokens: code, strings and comments told apart, so that a rule about code does not stumble over text.
// It is no parser: it knows only where strings, templates, regular expressions and comments begin and end.

export type Token = { readonly kind: 'code' | 'string' | 'comment'; readonly text: string }

/** Put together again, the tokens are the text. Templates are strings with code in their holes. */
export const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  const holes: number[] = []
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at, holes, codeBefore(tokens))
    follow(holes, token)
    append(tokens, token)
    at += token.text.length
  }
  return tokens
}

const tokenAt = (text: string, at: number, holes: readonly number[], before: string): Token => {
  if (holes.at(-1) === 0 && text[at] === '}') return { kind: 'string', text: taken(templateRest, text, at) ?? '}' }
  const code = taken(plain, text, at)
  if (code !== undefined) return { kind: 'code', text: code }
  for (const { kind, shape, needs = always } of shapes) {
    const found = taken(shape, text, at)
    if (found !== undefined && needs(before)) return { kind, text: found }
  }
  return { kind: 'code', text: text[at] ?? '' }
}

/** Code in which nothing else begins, and no brace counts. */
const plain = /[^/'"`{}]+/y

const always = (): boolean => true

/** A slash divides after a value; anywhere else it begins a regular expression. */
const noValue = (before: string): boolean =>
  /(^|[-+*%=<>!&|^~?:;,([{}]|\b(return|typeof|case|in|of|yield|await))\s*$/.test(before)

const templateRest = /[}`](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y

const shapes: readonly { kind: Token['kind']; shape: RegExp; needs?: (before: string) => boolean }[] = [
  { kind: 'comment', shape: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y },
  { kind: 'string', shape: /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y },
  { kind: 'string', shape: /`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y },
  { kind: 'string', shape: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y, needs: noValue },
]

const taken = (shape: RegExp, text: string, at: number): string | undefined => {
  shape.lastIndex = at
  return shape.exec(text)?.[0]
}

const braces: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['}', -1],
])

/** For each open hole of a template, how many braces are open in it. */
const follow = (holes: number[], { kind, text }: Token): void => {
  if (kind === 'string' && text.startsWith('}')) holes.pop()
  if (kind === 'string' && text.endsWith('${')) holes.push(0)
  const step = kind === 'code' ? braces.get(text) : undefined
  if (step !== undefined && holes.length > 0) holes.push((holes.pop() ?? 0) + step)
}

const append = (tokens: Token[], token: Token): void => {
  const last = tokens.at(-1)
  if (last?.kind === 'code' && token.kind === 'code')
    tokens[tokens.length - 1] = { kind: 'code', text: last.text + token.text }
  else tokens.push(token)
}

const codeBefore = (tokens: readonly Token[]): string => {
  const last = tokens.findLast(({ kind }) => kind !== 'comment')
  return last?.kind === 'string' ? "''" : (last?.text ?? '').slice(-40)
}
