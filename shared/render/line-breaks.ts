// Counts lines, so that a fault in a part of a file can be told with its line in the file.

/** How many lines end in the text. */
export const lineBreaks = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
