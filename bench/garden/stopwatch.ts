// Time and CPU of this process.

export type Took = { readonly seconds: number; readonly cpuSeconds: number }

export const stopwatch = (): (() => Took) => {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1_000_000 }
  }
}
