// A text as tokens, or not at all. Looking on behind a place where nothing fits would go through the rest again from every sign that
// follows, which for patterns made for it takes time that grows with the square of their length.

/** undefined where some part of the text is no token. `token` is a sticky pattern. */
export const wholeTokens = (text: string, token: RegExp): string[] | undefined => {
  const tokens: string[] = []
  for (let at = 0; at < text.length; ) {
    token.lastIndex = at
    const [found] = token.exec(text) ?? []
    if (!found) return undefined
    tokens.push(found)
    at += found.length
  }
  return tokens
}
