// Reads the text that a scraper reads: sums of samples, and quantiles of what a histogram counted between two scrapes.

type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number }
type Labels = Readonly<Record<string, string>>

/** The sum of all samples of this name that carry these labels. */
export const sumOf = (text: string, name: string, labels: Labels = {}): number =>
  samplesOf(text, name, labels).reduce((sum, { value }) => sum + value, 0)

export type HistogramChange = { readonly before: string; readonly after: string }

/**
 * The quantile of the observations between two scrapes: the upper bound of the bucket it lies in, for where in the bucket it
 * is, nobody knows. NaN when nothing was observed.
 */
export const quantileBound = ({ before, after }: HistogramChange, name: string, share: number): number => {
  const counts = bucketsOf(after, name).map(([bound, count]) => [bound, count - countAt(before, name, bound)] as const)
  const total = counts.at(-1)?.[1] ?? 0
  if (total === 0) return Number.NaN
  return counts.find(([, count]) => count >= share * total)?.[0] ?? Number.NaN
}

const countAt = (text: string, name: string, bound: number): number =>
  bucketsOf(text, name).find(([known]) => known === bound)?.[1] ?? 0

/** Cumulative, by rising bound, over all labels. */
const bucketsOf = (text: string, name: string): [number, number][] => {
  const byBound = Map.groupBy(samplesOf(text, `${name}_bucket`, {}), ({ labels }) => boundIn(labels))
  return [...byBound]
    .map(([bound, samples]): [number, number] => [bound, samples.reduce((sum, { value }) => sum + value, 0)])
    .sort(([one], [other]) => one - other)
}

const boundIn = ({ le }: Labels): number => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le))

const samplesOf = (text: string, name: string, wanted: Labels): Sample[] =>
  text
    .split('\n')
    .filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map(sampleIn)
    .filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value))

const sampleIn = (line: string): Sample => {
  const labels = [...line.matchAll(/([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  return { labels: Object.fromEntries(labels), value: Number(line.slice(line.lastIndexOf(' ') + 1)) }
}
