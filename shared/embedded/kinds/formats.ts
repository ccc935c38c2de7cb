// Reads text formats of built-in fields (times and bytes) like Go, with Go's messages.

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** The time in UTC with this number of digits after the second; undefined for an invalid time. */
export const canonicalTime = (text: string, fractionDigits: number): string | undefined => {
  const time = rfc3339.test(text) ? new Date(text) : undefined
  if (!time || Number.isNaN(time.getTime())) return undefined
  const given = /\.(\d+)/.exec(text)?.[1] ?? ''
  if (fractionDigits && given.length !== fractionDigits) return undefined
  const digits = given.slice(0, fractionDigits)
  return `${time.toISOString().slice(0, 19)}${fractionDigits ? `.${digits}` : ''}Z`
}

export const timeFault = (text: string, fractionDigits: number): string => {
  const quoted = JSON.stringify(text)
  const fraction = fractionDigits ? `.${'0'.repeat(fractionDigits)}` : ''
  return `parsing time ${quoted} as "2006-01-02T15:04:05${fraction}Z07:00": cannot parse ${quoted} as "2006"`
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export const base64Fault = (text: string): string | undefined => {
  if (base64.test(text)) return undefined
  const index = text.search(/[^A-Za-z0-9+/]/)
  return `illegal base64 data at input byte ${index === -1 ? Math.floor(text.length / 4) * 4 : index}`
}
