// How wide the texts of commands are: 80 columns, or as many as a narrower terminal has.

const least = 40

export const columns = Math.max(least, Math.min(80, process.stdout.columns || 80))
